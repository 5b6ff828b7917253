import { storedTypeRows } from '../../../schema/report-types.ts'
import { textLimits } from '../../../schema/stored-report.ts'

/** An object's members by their names in camelCase; undefined is "not known". */
export type Members<Name extends string = string> = Readonly<Record<Name, unknown>>

const abbreviations = new Set(['url', 'uri', 'id', 'ip'])

/** camelCase (documentUrl, documentURL), snake_case and kebab-case (payloads, Envelope). */
function spellings(name: string): string[] {
  const words = name.split(/(?=[A-Z])/).map((word) => word.toLowerCase())
  const shouted = words.map((word, at) => {
    if (at === 0) return word
    return abbreviations.has(word) ? word.toUpperCase() : word.charAt(0).toUpperCase() + word.slice(1)
  })
  return [name, shouted.join(''), words.join('_'), words.join('-')]
}

/**
 * Makes a reader of the members with these camelCase names, however a browser spells them. An empty string and null
 * are a missing member; of two spellings the first in the object counts.
 */
function fieldReader<const Name extends string>(...names: Name[]): (source: object) => Members<Name> {
  const nameBySpelling = new Map(names.flatMap((name) => spellings(name).map((spelling) => [spelling, name] as const)))
  const none = Object.fromEntries(names.map((name) => [name, undefined])) as Record<Name, unknown>
  return (source) => {
    const members = { ...none }
    for (const key in source) {
      const name = nameBySpelling.get(key)
      if (name === undefined) continue
      const value = (source as Record<string, unknown>)[key]
      if (value !== null && value !== '' && members[name] === undefined) members[name] = value
    }
    return members
  }
}

/** Reads the members of a collector's line around a body. */
export const readWrapperFields = fieldReader('receivedAt', 'userAgent', 'site', 'sampleRate')

/** Reads the members of a report around its body. */
export const readEnvelopeFields = fieldReader('age', 'url', 'userAgent')

/** Members that any report type takes from a body, and those that choose the site of a report without a URL. */
const bodyMembers = Object.values(storedTypeRows).flatMap(({ body, stores, sampleRate }) => {
  const sources = [...Object.values(body), stores?.needs, sampleRate]
  const conditions = [stores?.only?.member, stores?.never?.member]
  return [...sources.flatMap((source) => source?.slice(1)), ...conditions].filter((name) => name !== undefined)
})

/** Reads the members that become fields out of a report's body, of any type. */
export const readBodyFields: (body: object) => Members = fieldReader(
  ...new Set(['documentUrl', 'documentUri', ...bodyMembers]),
)

/** A number, or the numeric string some browsers send instead; undefined for anything else. */
export function toNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  const numeric = typeof value === 'string' && value.length <= 32 && /^\s*-?\d+(\.\d+)?\s*$/.test(value)
  return numeric ? Number(value) : undefined
}

/** No field holds more, so that a hostile text costs no more than a long one. */
const longestText = Math.max(...Object.values(textLimits))

/** The first member that is text; '' when none is. */
export function firstText<Name extends string>(members: Members<Name>, names: readonly Name[]): string {
  for (const name of names) {
    const value = members[name]
    if (typeof value === 'string') return value.length > longestText ? value.slice(0, longestText) : value
  }
  return ''
}
