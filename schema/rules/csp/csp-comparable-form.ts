import { hash } from 'node:crypto'
import type { dispositions } from '../../enumerations.ts'
import { tokensOf } from './parse-policy.ts'

const nonce = /^'nonce-/i

type ToSharedCase = (value: string) => string

/** Lower case up to the pattern's end; `replace` with a function costs four times as much. */
const lowerCaseUpTo =
  (pattern: RegExp): ToSharedCase =>
  (value) => {
    const end = pattern.exec(value)?.[0].length ?? 0
    return value.slice(0, end).toLowerCase() + value.slice(end)
  }

const hashStart = /^'(?:[a-z]+-)?sha-?\d+-/i
const hashCase = lowerCaseUpTo(hashStart)
/** Lower-cases schemes, hosts and bare words, but not paths. */
const sourceCase = lowerCaseUpTo(/^(?:[a-z][a-z0-9+.-]*:\/\/)?[^/?#]*/i)
const ownCase: ToSharedCase = (value) => value

const reportUriCase = lowerCaseUpTo(/^(?:[a-z][a-z0-9+.-]*:)?\/\/[^/?#]*/i)

/** Servers put an id of each response into the query. */
const withoutQuery: ToSharedCase = (value) => reportUriCase(value.replace(/[?#].*/s, '?*'))

/** Directives whose values are no sources: URLs, and names that differ by case. */
const otherCases: ReadonlyMap<string, ToSharedCase> = new Map([
  ['report-uri', withoutQuery],
  ['report-to', ownCase],
  ['trusted-types', ownCase],
])

function toSharedForm(value: string, sharedCase: ToSharedCase): string {
  if (!value.startsWith("'")) return sharedCase(value)
  if (nonce.test(value)) return "'nonce-*'"
  return hashStart.test(value) ? hashCase(value) : value.toLowerCase()
}

/**
 * Comparable form of any text (Rule 50). Like in a browser, the first of repeated directives counts; the order of
 * values is preserved.
 */
export const comparableForm = (policy: string): string => sharedForm(policy, otherCases)

/** The comparable form with the queries of report-uri, for a text to be sent. */
export const sendableForm = (policy: string): string =>
  sharedForm(policy, new Map([...otherCases, ['report-uri', reportUriCase]]))

function sharedForm(policy: string, cases: typeof otherCases): string {
  const directives = new Map<string, string>()
  for (const text of policy.split(';')) {
    const [first, ...values] = tokensOf(text)
    const name = first?.toLowerCase()
    if (name === undefined || directives.has(name)) continue
    const sharedCase = cases.get(name) ?? sourceCase
    const shared = new Set(values.map((value) => toSharedForm(value, sharedCase)))
    directives.set(name, [name, ...shared].join(' '))
  }
  const inOrder = [...directives].sort(([a], [b]) => (a < b ? -1 : 1))
  return inOrder.map(([, directive]) => directive).join('; ')
}

/** Rule 51. */
export function policyId(disposition: (typeof dispositions)[number], comparable: string): string {
  return hash('sha256', `${disposition}\n${comparable}`, 'hex').slice(0, 32)
}

/** Bytes in UTF-8 (Rule 52). */
const maxPolicyBytes = 16_384

/** Cuts between characters. */
export function cutPolicy(comparable: string): { policy: string; truncated: boolean } {
  // At most three bytes per UTF-16 unit.
  if (comparable.length * 3 <= maxPolicyBytes) return { policy: comparable, truncated: false }
  const bytes = Buffer.from(comparable)
  if (bytes.length <= maxPolicyBytes) return { policy: comparable, truncated: false }
  let end = maxPolicyBytes
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--
  return { policy: bytes.toString('utf8', 0, end), truncated: true }
}
