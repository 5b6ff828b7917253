import type { z } from 'zod'
import { quoteInput } from '../../pipeline/quote-input.ts'
import { isRefusal, parseLine, type Refusal, refuse } from '../ndjson/line-error.ts'
import { rejectedMember } from '../ndjson/rejected-line.ts'
import { takesAt } from './describe-schema.ts'
import type { RecordType } from './record-type.ts'

/** A record as its shape reads it. */
export type ReadRecord = Readonly<Record<string, unknown>>

/** Most of what is wrong with a line that one reason says. */
const mostSaid = 5

/**
 * Reads a line as a record of a type; undefined for a blank line. A refusal names each wrong member and what is allowed.
 * @param siteId the site of a line that names none, where the type takes one.
 */
export function readRecord(
  { shape, derived = [], siteByFlag }: RecordType,
  text: string,
  siteId: string | undefined,
): ReadRecord | Refusal | undefined {
  const json = parseLine(text)
  if (json === undefined || isRefusal(json)) return json
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return refuse('the line is not a JSON object')
  if (hasHalfPair(text)) return refuse('the line holds half of a surrogate pair, which is no character')
  const ignored = [...derived, rejectedMember]
  const given = Object.entries(json).filter(([member]) => !ignored.includes(member))
  const sent = Object.fromEntries(siteByFlag && siteId !== undefined ? [['siteId', siteId], ...given] : given)
  const parsed = shape.safeParse(sent)
  return parsed.success ? parsed.data : refuse(explain(parsed.error, shape, sent))
}

const pairEscape = /\\ud[89ab][\da-f]{2}\\ud[c-f][\da-f]{2}/gi

/** Whether JSON escapes half a character, which the store would take neither alone nor with the lines around it. */
function hasHalfPair(json: string): boolean {
  const surrogate = /\\ud[89a-f]/i
  return surrogate.test(json) && surrogate.test(json.replaceAll('\\\\', ' ').replaceAll(pairEscape, ''))
}

function explain({ issues }: z.core.$ZodError, shape: z.ZodObject, sent: unknown): string {
  const unknownFirst = issues.toSorted((a, b) => Number(isUnknown(b)) - Number(isUnknown(a)))
  const said = unknownFirst.map((issue) => {
    const name = nameOf(issue.path)
    if (issue.code === 'unrecognized_keys') {
      const keys = issue.keys.map((key) => quoteInput(nameOf([...issue.path, key]))).join(', ')
      return `${keys} is no member of it; it takes ${membersAt(shape, issue.path)}`
    }
    if (issue.code === 'custom') return `${name} ${issue.message}`
    const value = valueAt(sent, issue.path)
    if (value === undefined) return `${name} is missing: it must be ${takesAt(shape, issue.path)}`
    return `${name} must be ${takesAt(shape, issue.path)}, not ${quoteInput(value)}`
  })
  return [...new Set(said)].slice(0, mostSaid).join('. ')
}

const isUnknown = ({ code }: z.core.$ZodIssue) => code === 'unrecognized_keys'

function membersAt(shape: z.ZodObject, path: readonly PropertyKey[]): string {
  return path.length === 0 ? Object.keys(shape.shape).join(', ') : takesAt(shape, path)
}

/** `destination.name`, `siteIds[2]`. */
function nameOf(path: readonly PropertyKey[]): string {
  return path
    .map((step, at) => (typeof step === 'number' ? `[${step}]` : `${at > 0 ? '.' : ''}${String(step)}`))
    .join('')
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce((inner, step) => (inner as Readonly<Record<PropertyKey, unknown>> | null)?.[step], value)
}
