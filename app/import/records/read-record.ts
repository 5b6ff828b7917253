import type { z } from 'zod'
import { quoteInput } from '../../pipeline/quote-input.ts'
import { isLineError, type LineError, parseLine, reject } from '../ndjson/line-error.ts'
import { rejectedField } from '../ndjson/rejected-line.ts'
import { withoutUsers } from '../normalise/without-user.ts'
import { expectedAt } from './describe-schema.ts'
import type { RecordType } from './record-type.ts'

/** Output of the type's schema, without users and passwords of URLs. */
export type ReadRecord = Readonly<Record<string, unknown>>

/** Problems that one reason names. */
const maxProblems = 5

/**
 * Reads a line as a record; undefined for a blank line. A line error names each invalid field and its allowed values.
 * @param siteId site of a line without one, if the type has siteFromFlag.
 */
export function readRecord(
  { schema, derived = [], siteFromFlag }: RecordType,
  text: string,
  siteId: string | undefined,
): ReadRecord | LineError | undefined {
  const json = parseLine(text)
  if (json === undefined || isLineError(json)) return json
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return reject('the line is not a JSON object')
  if (hasHalfPair(text)) return reject('the line contains an unpaired surrogate')
  const ignored = [...derived, rejectedField]
  const given = Object.entries(json).filter(([field]) => !ignored.includes(field))
  const sent = Object.fromEntries(siteFromFlag && siteId !== undefined ? [['siteId', siteId], ...given] : given)
  const parsed = schema.safeParse(sent)
  return parsed.success ? withoutUsers(parsed.data) : reject(explain(parsed.error, schema, sent))
}

const pairEscape = /\\ud[89ab][\da-f]{2}\\ud[c-f][\da-f]{2}/gi

/** True for an escaped lone surrogate, for which ClickHouse rejects the whole insert. */
function hasHalfPair(json: string): boolean {
  const surrogate = /\\ud[89a-f]/i
  return surrogate.test(json) && surrogate.test(json.replaceAll('\\\\', ' ').replaceAll(pairEscape, ''))
}

function explain({ issues }: z.core.$ZodError, schema: z.ZodObject, sent: unknown): string {
  const unknownFirst = issues.toSorted((a, b) => Number(isUnknown(b)) - Number(isUnknown(a)))
  const problems = unknownFirst.map((issue) => {
    const name = nameOf(issue.path)
    if (issue.code === 'unrecognized_keys') {
      const keys = issue.keys.map((key) => quoteInput(nameOf([...issue.path, key]))).join(', ')
      return `${keys} is not allowed; expected ${fieldsAt(schema, issue.path)}`
    }
    if (issue.code === 'custom') return `${name} ${issue.message}`
    const value = valueAt(sent, issue.path)
    if (value === undefined) return `${name} is required and must be ${expectedAt(schema, issue.path)}`
    return `${name} must be ${expectedAt(schema, issue.path)}, not ${quoteInput(value)}`
  })
  return [...new Set(problems)].slice(0, maxProblems).join('. ')
}

const isUnknown = ({ code }: z.core.$ZodIssue) => code === 'unrecognized_keys'

function fieldsAt(schema: z.ZodObject, path: readonly PropertyKey[]): string {
  return path.length === 0 ? Object.keys(schema.shape).join(', ') : expectedAt(schema, path)
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
