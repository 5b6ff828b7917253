/** @module The hash of a report's evidence, which another program computes alike. */

import { hash } from 'node:crypto'

/**
 * JSON in the canonical form of RFC 8785: no white space, members sorted by the UTF-16 units of their names, numbers
 * and texts as ECMAScript writes them.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, inner]) => `${JSON.stringify(name)}:${canonicalJson(inner)}`).join(',')}}`
}

/** Independent of the order of members; an absent member is not null. */
export const isSameJson = (one: unknown, other: unknown): boolean => canonicalJson(one) === canonicalJson(other)

/** Lower-case hexadecimal SHA-256. @param evidence of plain JSON values. */
export const evidenceHash = (evidence: object): string => hash('sha256', canonicalJson(evidence), 'hex')
