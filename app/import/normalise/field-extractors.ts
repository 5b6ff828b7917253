/** @module Extractors that report mappings name (schema/report-type.ts). None throws. */

import { endOfTimes } from '../../../schema/params.ts'
import type { FieldSource } from '../../../schema/report-type.ts'
import { scriptHash } from '../../../schema/rules/scripts/script-hash.ts'
import { scriptRequestUrl } from '../../../schema/rules/scripts/script-request-url.ts'
import { scriptUrl } from '../../../schema/rules/scripts/script-url.ts'
import { type StoredReport, textLimits } from '../../../schema/stored-report.ts'
import { isObject } from '../ndjson/line-error.ts'
import { boundedJson } from './bounded-json.ts'
import { type Fields, firstText, toNumber } from './field-aliases.ts'
import { urlComponents } from './url-components.ts'
import { withoutUser } from './without-user.ts'

/** Value of the first usable field of `names`; `url` is the envelope's. */
export type Extract<Value = unknown> = (fields: Fields, names: readonly string[], url: string) => Value

const withoutFragment: Extract<string> = (fields, names) => cutAt(firstText(fields, names), /#/)

const withoutQuery: Extract<string> = (fields, names) => cutAt(firstText(fields, names), /[?#]/)

function cutAt(value: string, mark: RegExp): string {
  const at = value.search(mark)
  return at < 0 ? value : value.slice(0, at)
}

/** First word in lower case: old browsers send the whole directive as violated-directive. */
const firstWord: Extract<string> = (fields, names) =>
  /[^\s;]+/.exec(firstText(fields, names).slice(0, 1_024))?.[0].toLowerCase() ?? ''

/** Joins a list, such as a list of patterns. */
const joined: Extract<string> = (fields, names) => {
  const value = fields[names[0] ?? '']
  if (!Array.isArray(value)) return firstText(fields, names)
  return value
    .slice(0, 1_000)
    .filter((item) => typeof item === 'string')
    .map(withoutUser)
    .join(' ')
}

/** Pairs of an object: at most 32, with keys of 64 and texts of 256 UTF-16 units, as JSON text. */
const pairs: Extract<string> = (fields, [name = '']) => {
  const value = fields[name]
  if (!isObject(value)) return ''
  const own = Object.entries(value).slice(0, 32)
  const bounded = own.map(
    ([key, one]) => [key.slice(0, 64), typeof one === 'string' ? one.slice(0, 256) : one] as const,
  )
  return boundedJson(new Map(bounded), textLimits.context)
}

const access: Extract<string> = (fields, [kind = '', property = '']) => {
  const [kindText, propertyText] = [firstText(fields, [kind]), firstText(fields, [property])]
  return propertyText === '' ? kindText : `${kindText}:${propertyText}`
}

/** Identity of a blocked script; '' for any other destination. */
const blockedScript: Extract<string> = (fields, names) =>
  firstText(fields, ['destination']) === 'script' ? scriptUrl(firstText(fields, names)) : ''

/** Line or column: 1 to 2^32 - 1, or 0. */
const position: Extract<number> = (fields, [name = '']) => {
  const value = Math.trunc(toNumber(fields[name]) ?? 0)
  return value > 0 && value <= 0xffff_ffff ? value : 0
}

/** HTTP status of up to three digits, or 0. */
const status: Extract<number> = (fields, [name = '']) => {
  const value = toNumber(fields[name]) ?? 0
  return Number.isInteger(value) && value > 0 && value <= 999 ? value : 0
}

/** Whole milliseconds up to 2^32 - 1, or null. */
const duration: Extract<number | null> = (fields, [name = '']) => {
  const value = toNumber(fields[name])
  return value !== undefined && value >= 0 && value <= 0xffff_ffff ? Math.round(value) : null
}

/** true or false, also as text, or null. */
const flag: Extract<boolean | null> = (fields, [name = '']) => {
  const value = fields[name]
  if (value === true || value === 'true') return true
  return value === false || value === 'false' ? false : null
}

const dispositions = new Map<string, StoredReport['disposition']>([
  ['enforce', 'enforce'],
  ['report', 'report'],
  ['reporting', 'report'],
])

/** Case-insensitive; `reporting` is report, anything else ''. */
const disposition: Extract<StoredReport['disposition']> = (fields, [name = '']) => {
  const value = fields[name]
  return typeof value === 'string' && value.length <= 16 ? (dispositions.get(value.toLowerCase()) ?? '') : ''
}

/** A report-only flag, or else a disposition. */
const reportOnly: Extract<StoredReport['disposition']> = (fields, [only = '', name = ''], url) => {
  const isOnly = flag(fields, [only], url)
  if (isOnly === null) return disposition(fields, [name], url)
  return isOnly ? 'report' : 'enforce'
}

/** Milliseconds since the epoch, from a number or an ISO date, or null. */
const moment: Extract<number | null> = (fields, [name = '']) => {
  const value = fields[name]
  const isDate = typeof value === 'string' && value.length <= 40 && /^\d{4}-\d\d-\d\d/.test(value)
  const time = Math.round(isDate ? parseDate(value) : (toNumber(value) ?? Number.NaN))
  return time > 0 && time < endOfTimes ? time : null
}

/** Times without a zone are UTC. */
function parseDate(value: string): number {
  return Date.parse(/[T ][\d:.]+$/i.test(value) ? `${value}Z` : value)
}

/**
 * The lowest fraction in any public NEL header: Shopify's `"failure_fraction":0.01,"success_fraction":0.0001`.
 * Successes count too: if a server's address changed, Chromium reports one as dns.address_changed
 * (network_error_logging_service.cc). It limits the weight of a forged report.
 */
const lowestFraction = 0.0001

/** Anything outside [lowestFraction, 1] is 1. */
export const fraction: Extract<number> = (fields, [name = '']) => {
  const rate = toNumber(fields[name]) ?? 1
  return rate >= lowestFraction && rate <= 1 ? rate : 1
}

export const extractors: Readonly<Record<FieldSource[0], Extract>> = {
  text: firstText,
  firstWord,
  joined,
  withoutFragment,
  withoutQuery,
  origin: (fields, names) => urlComponents(firstText(fields, names)).origin,
  access,
  envelopeUrl: (_fields, _names, url) => url,
  documentUrl: (fields, names, url) => firstText(fields, names) || url,
  scriptUrl: (fields, names) => scriptUrl(firstText(fields, names)),
  scriptRequestUrl: (fields, names) => scriptRequestUrl(firstText(fields, names)),
  blockedScript,
  pairs,
  scriptHash: (fields, names) => scriptHash(firstText(fields, names)),
  disposition,
  reportOnly,
  position,
  status,
  duration,
  flag,
  moment,
  fraction,
}
