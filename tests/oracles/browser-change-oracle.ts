/**
 * @module Browser changes of the types that declare them, computed the plain way over rows: no SQL, no rollups, no code
 * of the API.
 */

import { storedTypeRows } from '../../schema/report-types.ts'
import type { StoredReport } from '../../schema/stored-report.ts'
import { firstHalfOfMd5 } from '../support/md5.ts'
import {
  byBytes,
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

export interface BrowserChangeFilters {
  readonly siteId?: string | undefined
  readonly reportType?: string | undefined
}

/** The whole list, and the totals beside it. */
export function oracleBrowserChanges(
  rows: readonly StoredReport[],
  window: OracleWindow,
  { siteId, reportType }: BrowserChangeFilters,
) {
  const found = rows.filter(
    (row) =>
      within(row, window) &&
      (reportType === undefined ? storedTypeRows[row.reportType].browserChange : row.reportType === reportType) &&
      [row.siteId, undefined].includes(siteId),
  )
  const groups = new Map<string, StoredReport[]>()
  for (const row of found) {
    const key = [row.reportType, byteLength(row.feature), row.feature, row.sourceFile].join('\n')
    groups.set(key, [...(groups.get(key) ?? []), row])
  }
  const entries = [...groups].map(([key, ofEntry]) => {
    const latestFirst = ofEntry.toSorted((a, b) => b.receivedAt - a.receivedAt || (a.id < b.id ? 1 : -1))
    const dated = latestFirst.find(({ anticipatedRemoval }) => anticipatedRemoval !== null)
    const hash = firstHalfOfMd5(key)
    return { hash, latest: latestFirst[0], rows: ofEntry, removal: dated?.anticipatedRemoval ?? Infinity }
  })
  entries.sort(
    (a, b) =>
      (a.removal === b.removal ? 0 : a.removal - b.removal) ||
      Number(weightOf(b.rows) - weightOf(a.rows)) ||
      (a.hash < b.hash ? -1 : 1),
  )
  const removals = entries.map(({ removal }) => removal).filter(Number.isFinite)
  return {
    data: entries.map(({ latest, removal, rows: ofEntry }) => ({
      reportType: latest?.reportType,
      feature: latest?.feature,
      sourceFile: latest?.sourceFile || null,
      lineNumber: latest?.lineNumber || null,
      message: latest?.message,
      anticipatedRemoval: Number.isFinite(removal) ? new Date(removal).toISOString() : null,
      reportCount: ofEntry.length,
      estimatedReportCount: estimated(ofEntry),
      sampled: ofEntry.some(({ sampleRate }) => sampleRate < 1),
      pageCount: distinct(ofEntry.map(pageOf)).length,
      topPages: mostFrequent(ofEntry.map(pageOf), 3),
      browsers: families(ofEntry),
      ...times(ofEntry),
    })),
    totals: {
      estimatedReportCount: estimated(found),
      reportCount: found.length,
      apiCount: distinct(found.map(({ feature }) => feature)).length,
      withRemovalDateCount: removals.length,
      soonestRemoval: removals.length > 0 ? new Date(Math.min(...removals)).toISOString() : null,
      sampled: found.some(({ sampleRate }) => sampleRate < 1),
      browsers: byBrowser(found),
    },
  }
}

/** Every family, the unreadable one too; the largest volume first, ties by the hash of the name. */
function byBrowser(rows: readonly StoredReport[]) {
  return [...new Set(rows.map(({ browserName }) => browserName))]
    .map((browser) => ({ browser, of: rows.filter(({ browserName }) => browserName === browser) }))
    .sort(
      (a, b) =>
        Number(weightOf(b.of) - weightOf(a.of)) || byBytes(firstHalfOfMd5(a.browser), firstHalfOfMd5(b.browser)),
    )
    .map(({ browser, of }) => ({ browser, estimatedReportCount: estimated(of) }))
}
