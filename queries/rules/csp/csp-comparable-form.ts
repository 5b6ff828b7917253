import { hash } from 'node:crypto'
import type { dispositions } from '../../../schema/enumerations.ts'

const token = /[^\t\n\f\r ]+/g
const nonce = /^'nonce-/i

/** Brings a value of a directive to the case that all of its spellings share. */
type ToSharedCase = (value: string) => string

/** Lower case as far as the pattern reaches from the start; `replace` with a function costs four times as much. */
const lowerCaseUpTo =
  (pattern: RegExp): ToSharedCase =>
  (value) => {
    const end = pattern.exec(value)?.[0].length ?? 0
    return value.slice(0, end).toLowerCase() + value.slice(end)
  }

const hashStart = /^'(?:[a-z]+-)?sha\d+-/i
const hashCase = lowerCaseUpTo(hashStart)
/** Schemes, hosts and bare words; a path keeps its case. */
const sourceCase = lowerCaseUpTo(/^(?:[a-z][a-z0-9+.-]*:\/\/)?[^/?#]*/i)
const ownCase: ToSharedCase = (value) => value

/** Directives whose values are no sources: URLs, relative ones among them, and names that differ by case. */
const otherCases: ReadonlyMap<string, ToSharedCase> = new Map([
  ['report-uri', lowerCaseUpTo(/^(?:[a-z][a-z0-9+.-]*:)?\/\/[^/?#]*/i)],
  ['report-to', ownCase],
  ['trusted-types', ownCase],
])

function toSharedForm(value: string, sharedCase: ToSharedCase): string {
  if (!value.startsWith("'")) return sharedCase(value)
  if (nonce.test(value)) return "'nonce-*'"
  return hashStart.test(value) ? hashCase(value) : value.toLowerCase()
}

/**
 * A policy as every policy that says the same is written (decisions, Groups): directives by name, nonces alike, one
 * space between values, repeats dropped. Of a directive given twice the first counts, as in a browser; values keep their
 * order. Takes any text and treats it as directives.
 */
export function comparableForm(policy: string): string {
  const directives = new Map<string, string>()
  for (const text of policy.split(';')) {
    const [first, ...values] = text.match(token) ?? []
    const name = first?.toLowerCase()
    if (name === undefined || directives.has(name)) continue
    const sharedCase = otherCases.get(name) ?? sourceCase
    const shared = new Set(values.map((value) => toSharedForm(value, sharedCase)))
    directives.set(name, [name, ...shared].join(' '))
  }
  const inOrder = [...directives].sort(([a], [b]) => (a < b ? -1 : 1))
  return inOrder.map(([, directive]) => directive).join('; ')
}

/** The id of a policy: 32 hexadecimal digits that never change between releases (decisions, Groups). */
export function policyId(disposition: (typeof dispositions)[number], comparable: string): string {
  return hash('sha256', `${disposition}\n${comparable}`, 'hex').slice(0, 32)
}

/** 16 KB in UTF-8 (contract, Limits). */
const longestPolicy = 16_384

/** A comparable form as it is answered: at most 16,384 bytes of UTF-8, never a part of a character. */
export function cutPolicy(comparable: string): { policy: string; truncated: boolean } {
  // No UTF-16 unit takes more than three bytes.
  if (comparable.length * 3 <= longestPolicy) return { policy: comparable, truncated: false }
  const bytes = Buffer.from(comparable)
  if (bytes.length <= longestPolicy) return { policy: comparable, truncated: false }
  let end = longestPolicy
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--
  return { policy: bytes.toString('utf8', 0, end), truncated: true }
}
