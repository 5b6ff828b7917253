import { endOfTimes } from '../../schema/params.ts'
import { type StoredReport, textLimits } from '../../schema/stored-report.ts'
import type { BodyMember, BodyMembers, Members } from './members.ts'

/** Finds one field's value in a body; `url` is the envelope's. */
export type Read<Value> = (members: BodyMembers, url: string) => Value

/** A number, or the numeric string some browsers send instead; undefined for anything else. */
export function toNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  const numeric = typeof value === 'string' && value.length <= 32 && /^\s*-?\d+(\.\d+)?\s*$/.test(value)
  return numeric ? Number(value) : undefined
}

/** No field keeps more, so that a hostile text costs no more than a long one. */
const longestText = Math.max(...Object.values(textLimits))

/** The first member that is text; '' when none is. */
export function firstText<Name extends string>(members: Members<Name>, names: readonly Name[]): string {
  for (const name of names) {
    const value = members[name]
    if (typeof value === 'string') return value.length > longestText ? value.slice(0, longestText) : value
  }
  return ''
}

/** The first of these members that is text. */
export function text(...names: BodyMember[]): Read<string> {
  return (members) => firstText(members, names)
}

/** The first of these members up to its fragment. */
export function withoutFragment(...names: BodyMember[]): Read<string> {
  return (members) => cutAt(firstText(members, names), /#/)
}

/** The first of these members up to its query or fragment. */
export function withoutQuery(...names: BodyMember[]): Read<string> {
  return (members) => cutAt(firstText(members, names), /[?#]/)
}

function cutAt(value: string, mark: RegExp): string {
  const at = value.search(mark)
  return at < 0 ? value : value.slice(0, at)
}

/** The first word, lower case: old browsers put the whole directive into violated-directive (payloads, Per type). */
export function firstToken(...names: BodyMember[]): Read<string> {
  return (members) => /[^\s;]+/.exec(firstText(members, names).slice(0, 1_024))?.[0].toLowerCase() ?? ''
}

/** A line or column: 1 to 2^32 - 1, and 0 when it is not known. */
export function position(name: BodyMember): Read<number> {
  return (members) => {
    const value = Math.trunc(toNumber(members[name]) ?? 0)
    return value > 0 && value <= 0xffff_ffff ? value : 0
  }
}

/** An HTTP status of up to three digits, and 0 when there was none. */
export function status(name: BodyMember): Read<number> {
  return (members) => {
    const value = toNumber(members[name]) ?? 0
    return Number.isInteger(value) && value > 0 && value <= 999 ? value : 0
  }
}

/** Whole milliseconds up to 2^32 - 1; null when the browser did not say. */
export function duration(name: BodyMember): Read<number | null> {
  return (members) => {
    const value = toNumber(members[name])
    return value !== undefined && value >= 0 && value <= 0xffff_ffff ? Math.round(value) : null
  }
}

/** true or false, also as text; null when the browser did not say. */
export function flag(name: BodyMember): Read<boolean | null> {
  return (members) => {
    const value = members[name]
    if (value === true || value === 'true') return true
    return value === false || value === 'false' ? false : null
  }
}

const dispositions: Readonly<Record<string, StoredReport['disposition']>> = {
  __proto__: null as never,
  enforce: 'enforce',
  report: 'report',
  reporting: 'report',
}

/** enforce or report in any case, reporting being report; '' when absent or anything else (payloads, Normalising). */
export const disposition: Read<StoredReport['disposition']> = ({ disposition: value }) =>
  typeof value === 'string' && value.length <= 16 ? (dispositions[value.toLowerCase()] ?? '') : ''

/** reportOnly as a disposition, for the type that has it instead of one. */
export const reportOnly: Read<StoredReport['disposition']> = (members, url) => {
  const only = flag('reportOnly')(members, url)
  if (only === null) return disposition(members, url)
  return only ? 'report' : 'enforce'
}

/** Milliseconds since the epoch from a number of them or an ISO date; null when it is neither. */
export function moment(name: BodyMember): Read<number | null> {
  return (members) => {
    const value = members[name]
    const isDate = typeof value === 'string' && value.length <= 40 && /^\d{4}-\d\d-\d\d/.test(value)
    const time = Math.round(isDate ? parseDate(value) : (toNumber(value) ?? Number.NaN))
    return time > 0 && time < endOfTimes ? time : null
  }
}

/** A time without a zone is UTC, wherever it is imported. */
function parseDate(value: string): number {
  return Date.parse(/[T ][\d:.]+$/i.test(value) ? `${value}Z` : value)
}

/** Several texts as one, such as a list of patterns. */
export function joined(name: BodyMember): Read<string> {
  return (members) => {
    const value = members[name]
    if (!Array.isArray(value)) return firstText(members, [name])
    return value
      .slice(0, 1_000)
      .filter((item) => typeof item === 'string')
      .join(' ')
  }
}
