import { scriptHash } from '../../../queries/rules/scripts/script-hash.ts'
import { scriptUrl } from '../../../queries/rules/scripts/script-url.ts'
import { endOfTimes } from '../../../schema/params.ts'
import type { FieldSource } from '../../../schema/report-type.ts'
import type { StoredReport } from '../../../schema/stored-report.ts'
import { firstText, type Members, toNumber } from './field-aliases.ts'
import { urlParts } from './url-parts.ts'

/** The extractors that a report type's body mapping names (schema/report-type.ts). None throws. */

/** One field's value from the first usable of some members; `url` is the envelope's. */
export type Extract<Value = unknown> = (members: Members, names: readonly string[], url: string) => Value

const withoutFragment: Extract<string> = (members, names) => cutAt(firstText(members, names), /#/)

const withoutQuery: Extract<string> = (members, names) => cutAt(firstText(members, names), /[?#]/)

function cutAt(value: string, mark: RegExp): string {
  const at = value.search(mark)
  return at < 0 ? value : value.slice(0, at)
}

/** The first word, lower case: old browsers put the whole directive into violated-directive (payloads, Per type). */
const firstWord: Extract<string> = (members, names) =>
  /[^\s;]+/.exec(firstText(members, names).slice(0, 1_024))?.[0].toLowerCase() ?? ''

/** Several texts as one, such as a list of patterns. */
const joined: Extract<string> = (members, names) => {
  const value = members[names[0] ?? '']
  if (!Array.isArray(value)) return firstText(members, names)
  return value
    .slice(0, 1_000)
    .filter((item) => typeof item === 'string')
    .join(' ')
}

/** The kind of an access and the property it was to. */
const access: Extract<string> = (members, [kind = '', property = '']) => {
  const [of, to] = [firstText(members, [kind]), firstText(members, [property])]
  return to === '' ? of : `${of}:${to}`
}

/** A script's identity, of a violation whose destination is a script. */
const blockedScript: Extract<string> = (members, names) =>
  firstText(members, ['destination']) === 'script' ? scriptUrl(firstText(members, names)) : ''

/** A line or column: 1 to 2^32 - 1, and 0 when it is not known. */
const position: Extract<number> = (members, [name = '']) => {
  const value = Math.trunc(toNumber(members[name]) ?? 0)
  return value > 0 && value <= 0xffff_ffff ? value : 0
}

/** An HTTP status of up to three digits, and 0 when there was none. */
const status: Extract<number> = (members, [name = '']) => {
  const value = toNumber(members[name]) ?? 0
  return Number.isInteger(value) && value > 0 && value <= 999 ? value : 0
}

/** Whole milliseconds up to 2^32 - 1; null when the browser did not say. */
const duration: Extract<number | null> = (members, [name = '']) => {
  const value = toNumber(members[name])
  return value !== undefined && value >= 0 && value <= 0xffff_ffff ? Math.round(value) : null
}

/** true or false, also as text; null when the browser did not say. */
const flag: Extract<boolean | null> = (members, [name = '']) => {
  const value = members[name]
  if (value === true || value === 'true') return true
  return value === false || value === 'false' ? false : null
}

const dispositions: Readonly<Record<string, StoredReport['disposition']>> = {
  __proto__: null as never,
  enforce: 'enforce',
  report: 'report',
  reporting: 'report',
}

/** enforce or report in any case, reporting being report; '' when absent or anything else (payloads, Normalising). */
const disposition: Extract<StoredReport['disposition']> = (members, [name = '']) => {
  const value = members[name]
  return typeof value === 'string' && value.length <= 16 ? (dispositions[value.toLowerCase()] ?? '') : ''
}

/** A flag as a disposition, and a disposition where there is no flag. */
const reportOnly: Extract<StoredReport['disposition']> = (members, [only = '', name = ''], url) => {
  const isOnly = flag(members, [only], url)
  if (isOnly === null) return disposition(members, [name], url)
  return isOnly ? 'report' : 'enforce'
}

/** Milliseconds since the epoch from a number of them or an ISO date; null when it is neither. */
const moment: Extract<number | null> = (members, [name = '']) => {
  const value = members[name]
  const isDate = typeof value === 'string' && value.length <= 40 && /^\d{4}-\d\d-\d\d/.test(value)
  const time = Math.round(isDate ? parseDate(value) : (toNumber(value) ?? Number.NaN))
  return time > 0 && time < endOfTimes ? time : null
}

/** A time without a zone is UTC, wherever it is imported. */
function parseDate(value: string): number {
  return Date.parse(/[T ][\d:.]+$/i.test(value) ? `${value}Z` : value)
}

/** A rate; anything outside (0, 1] is 1. */
export const fraction: Extract<number> = (members, [name = '']) => {
  const rate = toNumber(members[name]) ?? 1
  return rate > 0 && rate <= 1 ? rate : 1
}

/** Every extractor by its name. */
export const extractors: Readonly<Record<FieldSource[0], Extract>> = {
  text: firstText,
  firstWord,
  joined,
  withoutFragment,
  withoutQuery,
  origin: (members, names) => urlParts(firstText(members, names)).origin,
  access,
  envelopeUrl: (_members, _names, url) => url,
  documentUrl: (members, names, url) => firstText(members, names) || url,
  scriptUrl: (members, names) => scriptUrl(firstText(members, names)),
  blockedScript,
  scriptHash: (members, names) => scriptHash(firstText(members, names)),
  disposition,
  reportOnly,
  position,
  status,
  duration,
  flag,
  moment,
  fraction,
}
