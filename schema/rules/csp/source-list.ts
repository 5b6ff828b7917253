/** @module Source lists and their expressions (CSP3, 2.3.1). */

export interface HostSource {
  readonly kind: 'host'
  /** Original text. */
  readonly text: string
  /** Lower case; undefined: the document's. */
  readonly scheme: string | undefined
  /** Lower case; `*` is any, `*.a.test` has at least one label more. */
  readonly host: string
  /** Undefined: the scheme's own. */
  readonly port: number | '*' | undefined
  /** '' without one. */
  readonly path: string
}

/** An expression that matches URLs. */
export type UrlSource =
  | HostSource
  | { readonly kind: 'self' | 'any'; readonly text: string }
  | { readonly kind: 'scheme'; readonly text: string; readonly scheme: string }

export interface HashSource {
  readonly text: string
  readonly algorithm: 'sha256' | 'sha384' | 'sha512'
  /** Base64 of RFC 4648, 4, without padding. */
  readonly digest: string
}

export interface SourceList {
  /** Matches nothing: empty, or only `'none'`, also repeated (CSP3, 6.7.2.7). */
  readonly isNone: boolean
  readonly urls: readonly UrlSource[]
  readonly hashes: readonly HashSource[]
  readonly hasNonce: boolean
  /** Hashes of URLs and of evaluated code, which no report has. */
  readonly hasOtherHash: boolean
  /** Lower case, in quotes. */
  readonly keywords: ReadonlySet<string>
  readonly values: readonly string[]
}

const schemeSource = /^([a-z][a-z0-9+.-]*):$/i
/** Without an underscore, because Chromium drops the expression. It drops only a query. */
const hostSource =
  /^(?:([a-z][a-z0-9+.-]*):\/\/)?(\*|(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)*\.?)(?::(\d{1,5}|\*))?(\/[^?#]*)?(?:[?#].*)?$/i
/** `'nonce-*'` is any nonce of a policy in comparable form. */
const nonce = /^'nonce-(?:[a-z0-9+/_-]+={0,2}|\*)'$/i
/** Like Chromium, accepts a dash, and base64 that decodes. */
const hash = /^'sha-?(256|384|512)-((?:[a-z0-9+/_-]{4})*(?:[a-z0-9+/_-]{2,4}))={0,2}'$/i
const otherHash = /^'(?:url|eval)-sha(?:256|384|512)-[^']+'$/i

export const isNonce = (value: string): boolean => nonce.test(value)
export const isHash = (value: string): boolean => hash.test(value) || otherHash.test(value)

/** Undefined for keywords, nonces, hashes and invalid text. */
export function parseUrlSource(text: string): UrlSource | undefined {
  if (text === '*') return { kind: 'any', text }
  if (text.toLowerCase() === "'self'") return { kind: 'self', text }
  const scheme = schemeSource.exec(text)?.[1]
  if (scheme !== undefined) return { kind: 'scheme', text, scheme: scheme.toLowerCase() }
  const [isHost, hostScheme, host = '', port, path = ''] = hostSource.exec(text) ?? []
  if (isHost === undefined) return undefined
  return {
    kind: 'host',
    text,
    scheme: hostScheme?.toLowerCase(),
    host: host.toLowerCase(),
    port: port === undefined || port === '*' ? port : Number(port),
    path,
  }
}

function parseHash(text: string): HashSource[] {
  const [, algorithm, digest] = hash.exec(text) ?? []
  if (algorithm === undefined || digest === undefined) return []
  return [
    {
      text,
      algorithm: `sha${algorithm}` as HashSource['algorithm'],
      digest: digest.replaceAll('-', '+').replaceAll('_', '/'),
    },
  ]
}

export function parseSourceList(values: readonly string[]): SourceList {
  const keywords = values.filter((value) => value.startsWith("'")).map((value) => value.toLowerCase())
  return {
    isNone: values.every((value) => value.toLowerCase() === "'none'"),
    urls: values.flatMap((value) => parseUrlSource(value) ?? []),
    hashes: values.flatMap(parseHash),
    hasNonce: values.some(isNonce),
    hasOtherHash: values.some((value) => otherHash.test(value)),
    keywords: new Set(keywords),
    values,
  }
}
