/** @module Reads the fields of a report mapping, in any spelling that browsers use. */

import type { ReportTypeRow } from '../../../schema/report-type.ts'
import { storedTypeRows } from '../../../schema/report-types.ts'
import { textLimits } from '../../../schema/stored-report.ts'
import { withoutUser } from './without-user.ts'

/** Names of a receipt time, in this order: ours, Vector's and go-csp-collector's, Logstash's, Fluent Bit's, pino's. */
export const timeMembers = ['receivedAt', 'timestamp', '@timestamp', 'date', 'time'] as const

/** Values by camelCase name; undefined if the field is missing. */
export type Fields<Name extends string = string> = Readonly<Record<Name, unknown>>

const abbreviations = new Set(['url', 'uri', 'id', 'ip'])

/** camelCase (documentUrl, documentURL), snake_case and kebab-case. */
export function spellings(name: string): string[] {
  const words = name.split(/(?=[A-Z])/).map((word) => word.toLowerCase())
  const shouted = words.map((word, at) => {
    if (at === 0) return word
    return abbreviations.has(word) ? word.toUpperCase() : word.charAt(0).toUpperCase() + word.slice(1)
  })
  return [name, shouted.join(''), words.join('_'), words.join('-')]
}

/**
 * An empty string and null count as missing; if there are two spellings, the first in the object wins. A blocked URL
 * stays null: in-app browsers send it for a URL without an origin.
 */
function fieldReader<const Name extends string>(...names: Name[]) {
  const nameBySpelling = new Map(names.flatMap((name) => spellings(name).map((spelling) => [spelling, name] as const)))
  const none = Object.fromEntries(names.map((name) => [name, undefined])) as Record<Name, unknown>
  /** Adds members of no such name to `rest`. */
  return (source: object, rest?: Map<string, unknown>): Fields<Name> => {
    const fields = { ...none }
    for (const key in source) {
      const name = nameBySpelling.get(key)
      if (name === undefined) {
        rest?.set(key, (source as Record<string, unknown>)[key])
        continue
      }
      const value = (source as Record<string, unknown>)[key]
      const isMissing = value === '' || (value === null && !name.startsWith('blocked'))
      if (!isMissing && (fields[name] ?? null) === null) fields[name] = value
    }
    return fields
  }
}

export const readWrapperFields = fieldReader(...timeMembers, 'userAgent', 'User-Agent', 'site', 'sampleRate')

export const readEnvelopeFields = fieldReader('age', 'url', 'userAgent', 'type', 'body', 'csp-report')

/** Members of a body that the type reads; documentUrl and documentUri choose the site of a report without a URL. */
function membersOf({ body, stores, sampleRate }: ReportTypeRow): string[] {
  const sources = [...Object.values(body), stores?.requires, sampleRate]
  const conditions = [stores?.only?.member, stores?.never?.member]
  const mapped = [...sources.flatMap((source) => source?.slice(1)), ...conditions].filter((name) => name !== undefined)
  return [...new Set(['documentUrl', 'documentUri', ...mapped])]
}

const bodyReaders = new Map(Object.entries(storedTypeRows).map(([type, row]) => [type, fieldReader(...membersOf(row))]))

/** Fields of a report's body, none for a type that is not stored; adds members that nothing reads to `rest`. */
export function readBodyFields(type: string, body: object, rest: Map<string, unknown>): Fields {
  return bodyReaders.get(type)?.(body, rest) ?? {}
}

/** Accepts the numeric strings of some browsers; undefined for anything else. */
export function toNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  const numeric = typeof value === 'string' && value.length <= 32 && /^\s*-?\d+(\.\d+)?\s*$/.test(value)
  return numeric ? Number(value) : undefined
}

/** Bound of every stored text, so that hostile text costs no more. */
const maxTextLength = Math.max(...Object.values(textLimits))

/** Text without users and passwords of URLs; '' when no named field is text. */
export function firstText<Name extends string>(fields: Fields<Name>, names: readonly Name[]): string {
  for (const name of names) {
    const value = fields[name]
    if (typeof value !== 'string') continue
    const text = withoutUser(value)
    return text.length > maxTextLength ? text.slice(0, maxTextLength) : text
  }
  return ''
}
