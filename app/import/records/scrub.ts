import { isIPv6 } from 'node:net'
import { truncate } from '../normalise/truncate.ts'

type Put = string | ((...match: string[]) => string)

/** Replacements in order: each reads the output of the previous ones. */
const rules: readonly (readonly [find: RegExp, put: Put])[] = [
  [/\p{Cf}|\ufe0f/gu, ''],
  [/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, ' '],
  // URLs with a scheme, also with escaped slashes or percent-encoded; shares of Windows.
  [/(?<![a-z\d+.-])[a-z\d+.-]+(?::|%3a)(?:\\*\/|%2f){2}[^\s"'<>]*[^\s"'<>.,;:!?)\]}]/gi, '[url]'],
  [/\\\\[^\s"'<>]*[^\s"'<>.,;:!?)\]}]/g, '[url]'],
  [
    /(?:"[^"]*"|(?<![^\s"<>()[\]{},;:=@＠])[^\s"<>()[\]{},;:=@＠]+)[@＠](?:\[[^\]\s]+\]|[^\s"'<>()[\]{},;:/@＠]*[^\s"'<>()[\]{},;:/@＠.!?])/g,
    '[email]',
  ],
  // Tokens, recognised by their form or by the text before them.
  [/\beyJ[\w-]*(?:\.[\w-]+)+/g, '[token]'],
  [/\b(bearer) +(?!(?:auth\w*|credentials?|header|scheme|tokens?)\b)[^\s,;"'<>]+/gi, '$1 [token]'],
  [
    /\b(basic) +([\w+/=-]{6,})/gi,
    (all = '', scheme = '', value = '') => (/\d|[a-z][A-Z]|=/.test(value) ? `${scheme} [token]` : all),
  ],
  [
    /((?<![\w-])[\w-]*(?:key|token|secret|password|passwd|pwd|signature|cookie|authorization)["']?\s*[:=]\s*)(?:"[^"]*"|'[^']*'|(?:(?:bearer|basic) )?[^\s"',;&<>]+)/gi,
    '$1[token]',
  ],
  [/(?<![\w+/-])[\w+/-]{6,}={1,2}(?![\w=])/g, (all = '') => (isBase64(all) ? '[token]' : all)],
  // Host names without a dot, recognised by messages of resolvers and clients.
  [/\b((?:getaddrinfo|connect|query\w+) E[A-Z_]+) [\w-]+(?=[\s,;:]|$)/g, '$1 [host]'],
  [/\b(lookup) [^\s,;]+?(?=:? on |: )/g, '$1 [host]'],
  [/(?<![\w./-])[\w-]+\/((?:\d{1,3}\.){3}\d{1,3})(?![\w.])/g, '[host]/[ip]'],
  [/\b(UnknownHostException: )[^\s,;:]+/g, '$1[host]'],
  [/\b(could not be resolved: ["']?)[^\s"']+/gi, '$1[host]'],
  [/\b(host(?:name)?["']?\s*[:=]\s*["']?)[^\s"',;]+/gi, '$1[host]'],
  [/\b(connect to) \S+(?= port \d)/gi, '$1 [host]'],
  [/(?<![\w.])\[?([\da-f:.]*:[\da-f:.]*:[\da-f:.]*)(?:%[\w.-]+)?(?!\w)\]?/gi, scrubIpv6],
  // Every remaining word.
  [/(?:(?!\.\.)[\p{L}\p{M}\p{N}\p{Extended_Pictographic}.。．｡․_:/-])+/gu, (word = '') => scrubWord(word)],
  // Ports and queries after a placeholder.
  [/(\[(?:host|ip)\]):\d{1,5}(?!\d)/g, '$1'],
  [/(\[url\])[?#&][^\s"'<>]*[^\s"'<>.,;:!?)\]}]/g, '$1'],
]

/**
 * Replaces URLs, tokens, host names, e-mail and IP addresses, so that the text names a failure and never a destination.
 * A word that could be a host, such as `index.html`, counts as one. Scrubbing again changes nothing.
 * @param limit UTF-16 units of the result.
 */
export function scrub(text: string, limit: number): string {
  return truncate(settled(text), limit).trim()
}

/** Repeats the rules, because one can produce a match for an earlier one: `[url]'/@[url]` is an address. */
function settled(text: string, rounds = 20): string {
  const replaced = rules.reduce((before, [find, put]) => before.replace(find, put as string), text).trim()
  return replaced === text || rounds === 1 ? replaced : settled(replaced, rounds - 1)
}

/** Scrubs a path, a host with or without a path, or pieces divided by colons and slashes. */
function scrubWord(word: string): string {
  const [, before = '', core = '', after = ''] = /^([.:]*)(.*?)([.:]*)$/u.exec(word) ?? []
  if (/^\/./.test(core)) return `${before}[url]${after}`
  const [first = '', ...path] = core.split('/')
  const isAddress = maskOf(first.replace(/:\d{1,5}$/, '')) !== undefined
  if (isAddress && path.length > 0) return `${before}${/^[\d.]+\/\d{1,2}$/.test(core) ? '[ip]' : '[url]'}${after}`
  return before + core.split('/').map(scrubPieces).join('/') + after
}

function scrubPieces(segment: string): string {
  const pieces = segment.split(':')
  return pieces
    .map((piece, at) => {
      const mask = maskOf(piece)
      if (mask !== undefined) return mask
      if (isSecret(piece)) return '[token]'
      return isPort(pieces[at + 1]) && isServerName(piece) ? '[host]' : piece
    })
    .join(':')
}

/** Mask of an address or a dotted host name; dotted numbers are versions, and csp.new_issue is an event. */
function maskOf(piece: string): '[ip]' | '[host]' | undefined {
  const labels = piece
    .replace(/[。．｡․]/g, '.')
    .replace(/^\.+|\.+$/g, '')
    .split('.')
  const [last = ''] = labels.slice(-1)
  if (labels.length === 1) return /^localhost$/i.test(last) ? '[host]' : undefined
  if (labels.length === 4 && labels.every((one) => /^\d{1,3}$/.test(one))) return '[ip]'
  // An error class, java.net.ConnectException, names the failure.
  if (labels.includes('') || /[a-z](?:Error|Exception)$/.test(last)) return undefined
  const ending = labels.length > 2 ? /^\p{L}[\p{L}\p{M}\p{N}_-]+$/u : /^\p{L}[\p{L}\p{M}\p{N}-]+$/u
  return ending.test(last) ? '[host]' : undefined
}

/** The candidate can end in a sentence's colon or dot, and an address can end in two colons. */
function scrubIpv6(all: string, candidate = ''): string {
  const lengths = [0, 1, 2].map((less) => candidate.length - less)
  const length = lengths.find((one) => isIPv6(candidate.slice(0, one)) && /[\da-f]/i.test(candidate))
  return length === undefined ? all : `[ip]${candidate.slice(length)}`
}

const isPort = (piece: string | undefined) => piece !== undefined && /^(?:\d{4,5}|25|80|443|465|587)$/.test(piece)

const ordinary =
  /(?:^|-)(?:after|age|attempt|code|elapsed|errno|error|http|length|line|port|retry|size|status|timeout|took)$/i

/** A word before a port, except words that numbers often follow. */
const isServerName = (piece: string) => /^[a-z][a-z\d-]*$/i.test(piece) && !ordinary.test(piece)

const uuid = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/i
const knownSecret =
  /^(?:xox[a-z]-|gh[a-z]_|github_pat_|glpat-|s?[prs]k_(?:live|test)_|whsec_|A[KS]IA[A-Z\d]|[TBCDGUW](?=[A-Z]*\d)[A-Z\d]{7,}$)/

/** Generated text: long hexadecimal, letters mixed with digits, or letters in random case. */
function isSecret(piece: string): boolean {
  if (uuid.test(piece) || knownSecret.test(piece)) return true
  return piece.split(/[^a-z\d]+/i).some((run) => {
    if (run.length >= 32 || /^[\da-f]{16,}$/i.test(run)) return true
    if (run.length >= 12 && /\d/.test(run) && /[a-z]/i.test(run)) return !/^\d+[a-z]{1,2}$/i.test(run)
    return run.length >= 16 && (run.match(/(?<=^|[A-Z])[a-z]{1,2}(?=[A-Z])/g) ?? []).length >= 3
  })
}

/** Padding after whole groups of four, not at the end of an assignment. */
const isBase64 = (text: string) => text.length % 4 === 0 && /\d|[a-z][A-Z]|[+/]/.test(text)
