/** @module Crash and network error groups, computed the plain way over rows: no SQL, no rollups, no code of the API. */

import type { StoredReport } from '../../schema/stored-report.ts'
import { firstHalfOfMd5 } from '../support/md5.ts'
import {
  type AnyRow,
  byteLength,
  distinct,
  estimated,
  families,
  mostFrequent,
  type OracleWindow,
  pageOf,
  times,
  weightOf,
  within,
} from './oracle-parts.ts'

/** What of a report its group is made from. */
export type CrashRow = Pick<
  StoredReport,
  | 'siteId'
  | 'receivedAt'
  | 'id'
  | 'weight'
  | 'browserName'
  | 'feature'
  | 'documentUrl'
  | 'isTopLevel'
  | 'visibilityState'
  | 'stack'
>

/** What of a report its group is made from. */
export type NetworkErrorRow = Pick<
  StoredReport,
  | 'siteId'
  | 'receivedAt'
  | 'id'
  | 'weight'
  | 'browserName'
  | 'feature'
  | 'phase'
  | 'requestOrigin'
  | 'statusCode'
  | 'serverIp'
  | 'protocol'
  | 'method'
  | 'requestUrl'
>

export interface CrashFilters {
  readonly siteId?: string | undefined
  readonly reason?: string | undefined
}

export interface NetworkErrorFilters {
  readonly siteId?: string | undefined
  readonly phase?: string | undefined
  readonly errorType?: string | undefined
  readonly origin?: string | undefined
}

/** The whole list, and the totals beside it. */
export function oracleCrashes(rows: readonly CrashRow[], window: OracleWindow, { siteId, reason }: CrashFilters) {
  const found = rows.filter(
    (row) =>
      within(row, window) && [row.siteId, undefined].includes(siteId) && [row.feature, undefined].includes(reason),
  )
  const keyOf = (row: CrashRow) => {
    const [feature, page] = [row.feature, pageOf(row)]
    return [byteLength(feature), feature, byteLength(page), page, row.isTopLevel ?? '', row.visibilityState].join('\n')
  }
  const groups = largestFirst(found, keyOf)
  return {
    data: groups.map(({ rows: ofGroup, first, latest }) => ({
      reason: first.feature,
      page: pageOf(first),
      isTopLevel: first.isTopLevel,
      visibilityState: first.visibilityState,
      browsers: families(ofGroup),
      stackExcerpt: excerptOf(latest(({ stack }) => stack !== '')?.stack),
      reportCount: ofGroup.length,
      estimatedReportCount: estimated(ofGroup),
      ...times(ofGroup),
    })),
    totals: {
      estimatedReportCount: estimated(found),
      reportCount: found.length,
      pageCount: distinct(found.map(pageOf)).length,
      groupCount: groups.length,
    },
  }
}

/** The whole list, and the totals beside it. */
export function oracleNetworkErrors(
  rows: readonly NetworkErrorRow[],
  window: OracleWindow,
  { siteId, phase, errorType, origin }: NetworkErrorFilters,
) {
  const found = rows.filter(
    (row) =>
      within(row, window) &&
      [row.siteId, undefined].includes(siteId) &&
      [row.phase, undefined].includes(phase) &&
      [row.feature, undefined].includes(errorType) &&
      [row.requestOrigin, undefined].includes(origin),
  )
  const keyOf = ({ feature, phase, requestOrigin, statusCode }: NetworkErrorRow) =>
    [byteLength(feature), feature, byteLength(phase), phase, requestOrigin, statusCode].join('\n')
  const groups = largestFirst(found, keyOf)
  return {
    data: groups.map(({ rows: ofGroup, first, latest }) => ({
      errorType: first.feature,
      phase: first.phase,
      origin: first.requestOrigin,
      statusCode: first.statusCode === 0 ? null : first.statusCode,
      serverIps: mostFrequent(
        ofGroup.map(({ serverIp }) => serverIp),
        5,
      ),
      protocols: mostFrequent(
        ofGroup.map(({ protocol }) => protocol),
        5,
      ),
      methods: mostFrequent(
        ofGroup.map(({ method }) => method),
        5,
      ),
      browsers: families(ofGroup),
      exampleUrl: latest(() => true)?.requestUrl,
      reportCount: ofGroup.length,
      estimatedReportCount: estimated(ofGroup),
      ...times(ofGroup),
    })),
    totals: {
      reportCount: found.length,
      estimatedReportCount: estimated(found),
      groupCount: groups.length,
      originCount: distinct(found.map(({ requestOrigin }) => requestOrigin)).length,
    },
  }
}

interface Group<Row> {
  readonly rows: readonly Row[]
  readonly first: Row
  /** The latest of those that meet a condition, ties broken by the id. */
  latest(condition: (row: Row) => boolean): Row | undefined
}

/** Groups by estimated volume; the first half of their key's MD5 breaks ties. */
function largestFirst<Row extends AnyRow>(rows: readonly Row[], keyOf: (row: Row) => string): Group<Row>[] {
  const byKey = new Map<string, [Row, ...Row[]]>()
  for (const row of rows) {
    const key = keyOf(row)
    const group = byKey.get(key)
    if (group) group.push(row)
    else byKey.set(key, [row])
  }
  const sorted = [...byKey].map(([key, group]) => ({ group, weight: weightOf(group), hash: firstHalfOfMd5(key) }))
  sorted.sort((a, b) => Number(b.weight - a.weight) || (a.hash < b.hash ? -1 : 1))
  return sorted.map(({ group }) => ({
    rows: group,
    first: group[0],
    latest: (condition) =>
      group.filter(condition).sort((a, b) => b.receivedAt - a.receivedAt || (a.id < b.id ? 1 : -1))[0],
  }))
}

/** 1,024 characters, however many UTF-16 units each has. */
const excerptOf = (stack: string | undefined) => (stack === undefined ? null : [...stack].slice(0, 1_024).join(''))
