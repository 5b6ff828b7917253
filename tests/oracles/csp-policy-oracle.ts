/**
 * @module The policies that a site's reports quote, computed the plain way over rows: no SQL, no code of the API's
 * rules.
 */

import { createHash } from 'node:crypto'
import type { StoredReport } from '../../schema/stored-report.ts'
import { firstHalfOfMd5 } from '../support/md5.ts'
import { distinct, type OracleWindow, pageOf, times, within } from './oracle-parts.ts'

/** The fields of a report that identify its policy. */
export type QuotingRow = Pick<
  StoredReport,
  'siteId' | 'reportType' | 'receivedAt' | 'id' | 'weight' | 'browserName' | 'documentUrl' | 'disposition' | 'policy'
>

/** The whole list and the fields beside it. */
export function oracleCspPolicies(
  rows: readonly QuotingRow[],
  window: OracleWindow,
  siteId: string,
  pattern: string | undefined,
) {
  const found = rows.filter(
    (row) =>
      within(row, window) &&
      row.siteId === siteId &&
      row.reportType === 'csp-violation' &&
      row.policy !== '' &&
      (pattern === undefined || isPageOf(pattern, pageOf(row))),
  )
  const dispositionOf = (row: QuotingRow) => row.disposition || 'enforce'
  const quoted = grouped(found, (row) => {
    const nameless = withoutQueries(row.policy).replace(/'nonce-[^'\s;]*'/g, "'nonce-*'")
    const key = BigInt(`0x${firstHalfOfMd5(nameless)}`)
    return (row.disposition === 'report' ? 2n ** 64n - 1n - key : key).toString(16).padStart(16, '0')
  })
  const latestFirst = quoted.sort((a, b) => compare(b.lastSeen, a.lastSeen) || compare(a.key, b.key))
  const merged = grouped(
    latestFirst.slice(0, 200).flatMap((group) => group.rows),
    (row) => `${dispositionOf(row)}\n${plainForm(row.policy.toLowerCase())}`,
  )
  const data = merged
    .map(({ key, rows: same, firstSeen, lastSeen }) => {
      const [disposition = ''] = key.split('\n')
      // As last quoted: rows are in the order of their policies.
      const whole = plainForm(same[0]?.policy ?? '')
      let policy = whole
      while (Buffer.byteLength(policy) > 16_384) policy = [...policy].slice(0, -1).join('')
      const id = createHash('sha256').update(key).digest('hex').slice(0, 32)
      return { id, disposition, policy, truncated: policy !== whole, firstSeen, lastSeen, reportCount: same.length }
    })
    .sort((a, b) => compare(b.lastSeen, a.lastSeen) || compare(a.id, b.id))
  return { data, truncated: quoted.length > 200 }
}

function grouped(rows: readonly QuotingRow[], keyOf: (row: QuotingRow) => string) {
  const groups = new Map<string, QuotingRow[]>()
  for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row])
  return [...groups].map(([key, same]) => ({ key, rows: same, ...times(same) }))
}

const compare = (a: string, b: string) => (a === b ? 0 : a < b ? -1 : 1)

/** The comparable form, for policies of `name value…` pairs as browsers quote them. */
function plainForm(policy: string): string {
  const directives = policy
    .split(';')
    .map((text) => text.trim().split(/\s+/))
    .filter(([name]) => name !== '')
    .map(([name = '', ...values]) => [name.toLowerCase(), ...values.map((value) => plainValue(name, value))])
  const names = [...new Set(directives.map(([name = '']) => name))].sort()
  const firstOf = (name: string) => directives.find(([itsName]) => itsName === name) ?? []
  return names.map((name) => distinct([...firstOf(name)]).join(' ')).join('; ')
}

/** Of each report-uri, as `?*`. */
const withoutQueries = (policy: string) =>
  policy
    .split(';')
    .map((text) => (/^\s*report-uri\s/i.test(text) ? text.replace(/[?#]\S*/g, '?*') : text))
    .join(';')

function plainValue(name: string, value: string): string {
  if (value.startsWith("'")) {
    if (value.toLowerCase().startsWith("'nonce-")) return "'nonce-*'"
    const [algorithm = '', ...digest] = value.split('-')
    return /^'sha\d+$/i.test(algorithm) ? [algorithm.toLowerCase(), ...digest].join('-') : value.toLowerCase()
  }
  if (['report-to', 'trusted-types'].includes(name.toLowerCase())) return value
  if (name.toLowerCase() === 'report-uri' && /[?#]/.test(value))
    return `${plainValue(name, value.replace(/[?#].*/, ''))}?*`
  const [scheme, rest] = value.includes('://') ? value.split('://') : ['', value]
  const [host = '', ...path] = (rest ?? '').split('/')
  const prefix = scheme === '' ? '' : `${scheme?.toLowerCase()}://`
  return prefix + [host.toLowerCase(), ...path].join('/')
}

/** Whether a page is one of a monitored page's pattern, one segment and one character after the other. */
function isPageOf(pattern: string, page: string): boolean {
  const [ours = [], theirs = []] = [pattern, page].map((url) => url.split('/'))
  const isOpen = ours.at(-1) === '**'
  const named = isOpen ? ours.slice(0, -1) : ours
  // Scheme, nothing and host come before the path, and have no wildcards.
  const meets = (segment: string, index: number) =>
    index < 3 ? segment === theirs[index] : isSegment(segment, theirs[index] ?? '')
  return (isOpen ? theirs.length > named.length : theirs.length === named.length) && named.every(meets)
}

function isSegment(pattern: string, segment: string): boolean {
  if (pattern === '') return segment === ''
  if (pattern[0] !== '*') return pattern[0] === segment[0] && isSegment(pattern.slice(1), segment.slice(1))
  return isSegment(pattern.slice(1), segment) || (segment !== '' && isSegment(pattern, segment.slice(1)))
}
