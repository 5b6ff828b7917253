/**
 * @module The contract's results, computed the plain way over the same rows: no SQL, no rollups, no code of the API.
 */

import type { DimensionName } from '../../schema/dimensions.ts'
import { type BucketSize, bucketSizes } from '../../schema/enumerations.ts'
import { type ReportType, reportTypeNames, type StoredType } from '../../schema/report-types.ts'
import type { Report } from '../../schema/responses/report.ts'
import type { StoredReport } from '../../schema/stored-report.ts'
import { dimensionValue, estimated, type OracleWindow } from './oracle-parts.ts'
import { type OracleFilters, passesFilters } from './report-filters.ts'

export function matching(
  rows: readonly StoredReport[],
  { from, to }: OracleWindow,
  reportType: StoredType,
  filters: OracleFilters,
): StoredReport[] {
  return rows.filter(
    (row) =>
      row.reportType === reportType && row.receivedAt >= from && row.receivedAt < to && passesFilters(row, filters),
  )
}

const iso = (time: number) => new Date(time).toISOString()

export function oracleCount(
  rows: readonly StoredReport[],
  window: OracleWindow,
  reportType: ReportType,
  filters: OracleFilters,
) {
  const found = matching(rows, window, reportType, filters)
  return {
    reportCount: found.length,
    estimatedReportCount: estimated(found),
    sampled: found.some((row) => row.sampleRate < 1),
  }
}

export function oracleHistogram(
  rows: readonly StoredReport[],
  window: OracleWindow,
  reportType: ReportType,
  filters: OracleFilters,
  bucketSize: BucketSize,
) {
  const found = matching(rows, window, reportType, filters)
  const width = bucketSizes[bucketSize]
  const buckets: { time: string; reportCount: number }[] = []
  for (let start = window.from - (window.from % width); start < window.to; start += width) {
    const reportCount = found.filter((row) => row.receivedAt >= start && row.receivedAt < start + width).length
    buckets.push({ time: iso(start), reportCount })
  }
  return { bucketSize, buckets }
}

const bytes = (text: string) => Buffer.from(text)

function compareValues(a: readonly string[], b: readonly string[]): number {
  for (let index = 0; index < a.length; index++) {
    const order = Buffer.compare(bytes(a[index] ?? ''), bytes(b[index] ?? ''))
    if (order !== 0) return order
  }
  return 0
}

export function oracleGrouped(
  rows: readonly StoredReport[],
  window: OracleWindow,
  retentionFrom: number,
  reportType: ReportType,
  filters: OracleFilters,
  groupBy: readonly DimensionName[],
  limit: number,
) {
  const groups = new Map<string, { values: string[]; rows: StoredReport[] }>()
  for (const row of matching(rows, window, reportType, filters)) {
    const values = groupBy.map((dimension) => dimensionValue(row, dimension))
    const key = JSON.stringify(values)
    const group = groups.get(key) ?? { values, rows: [] }
    group.rows.push(row)
    groups.set(key, group)
  }
  const length = window.to - window.from
  const reaches = window.from - length >= retentionFrom
  const earlier = reaches ? matching(rows, { from: window.from - length, to: window.from }, reportType, filters) : []
  return [...groups.values()]
    .sort((a, b) => b.rows.length - a.rows.length || compareValues(a.values, b.values))
    .slice(0, limit)
    .map((group) => {
      const times = group.rows.map((row) => row.receivedAt)
      const before = earlier.filter((row) =>
        groupBy.every((dimension, index) => dimensionValue(row, dimension) === group.values[index]),
      )
      const permille = Math.round(((group.rows.length - before.length) * 1000) / before.length)
      return {
        values: group.values,
        reportCount: group.rows.length,
        firstSeen: iso(Math.min(...times)),
        lastSeen: iso(Math.max(...times)),
        trendPercent: before.length === 0 ? null : permille / 10 || 0,
      }
    })
}

export function oracleTypes(rows: readonly StoredReport[], window: OracleWindow, filters: OracleFilters) {
  return reportTypeNames.flatMap((reportType) => {
    const found = matching(rows, window, reportType, filters)
    if (found.length === 0 && reportType !== 'csp-violation') return []
    return [{ reportType, estimatedReportCount: estimated(found), sampled: found.some((row) => row.sampleRate < 1) }]
  })
}

/** Every report of the list, newest first, as the wire has it. */
export function oracleList(
  rows: readonly StoredReport[],
  window: OracleWindow,
  reportType: ReportType,
  filters: OracleFilters,
): Report[] {
  return matching(rows, window, reportType, filters)
    .sort((a, b) => b.receivedAt - a.receivedAt || (a.id < b.id ? 1 : -1))
    .map(toReport)
}

const known = (text: string) => (text === '' ? null : text)
const counted = (value: number) => (value === 0 ? null : value)

function toReport(row: StoredReport): Report {
  return {
    id: row.id,
    siteId: row.siteId,
    reportType: row.reportType as ReportType,
    receivedAt: iso(row.receivedAt),
    browserName: row.browserName,
    browserVersion: row.browserVersion,
    osName: row.osName,
    deviceType: row.deviceType,
    sampleRate: row.sampleRate,
    documentUrl: row.documentUrl,
    disposition: row.disposition === '' ? null : row.disposition,
    feature: known(row.feature),
    directive: known(row.directive),
    blockedHost: known(row.blockedHost),
    blockedUrl: known(row.blockedUrl),
    blockedOrigin: known(row.blockedOrigin),
    destination: known(row.destination),
    effectivePolicy: known(row.effectivePolicy),
    otherOrigin: known(row.otherOrigin),
    sourceFile: known(row.sourceFile),
    lineNumber: counted(row.lineNumber),
    columnNumber: counted(row.columnNumber),
    message: known(row.message),
    sample: known(row.sample),
    policy: known(row.policy),
    referrer: known(row.referrer),
    statusCode: counted(row.statusCode),
    phase: known(row.phase),
    method: known(row.method),
    protocol: known(row.protocol),
    serverIp: known(row.serverIp),
    elapsedMs: row.elapsedMs,
    requestUrl: known(row.requestUrl),
    anticipatedRemoval: row.anticipatedRemoval === null ? null : iso(row.anticipatedRemoval),
    isTopLevel: row.isTopLevel,
    visibilityState: known(row.visibilityState),
    stack: known(row.stack),
  }
}
