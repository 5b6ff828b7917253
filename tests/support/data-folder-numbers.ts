/** @module Responses over a data folder's reports, by the oracles: no SQL, no code of the API. */

import type { DimensionName } from '../../schema/dimensions.ts'
import { dimensionsOf, reportTypeNames } from '../../schema/report-types.ts'
import type { StoredReport } from '../../schema/stored-report.ts'
import { oracleBrowserChanges } from '../oracles/browser-change-oracle.ts'
import { oracleCspPolicies } from '../oracles/csp-policy-oracle.ts'
import { oracleCrashes, oracleNetworkErrors } from '../oracles/group-oracle.ts'
import { oracleIssues } from '../oracles/issue-oracle.ts'
import type { OracleWindow } from '../oracles/oracle-parts.ts'
import { oracleCount, oracleGrouped, oracleHistogram, oracleTypes } from '../oracles/report-oracle.ts'
import type { DataFolderContents } from './data-folder.ts'

type Numbers = Pick<DataFolderContents, 'responses' | 'lists'>

/** @param windows of at most 31 days each. */
export function numbersOf(
  reports: readonly StoredReport[],
  windows: readonly OracleWindow[],
  retentionFrom: number,
): Numbers {
  const all = windows.map((window) => numbersWithin(reports, window, retentionFrom))
  return {
    responses: Object.assign({}, ...all.map(({ responses }) => responses)),
    lists: Object.assign({}, ...all.map(({ lists }) => lists)),
  }
}

function numbersWithin(reports: readonly StoredReport[], window: OracleWindow, retentionFrom: number): Numbers {
  const bounds = { from: new Date(window.from).toISOString(), to: new Date(window.to).toISOString() }
  const path = (route: string, params: Readonly<Record<string, string>> = {}) =>
    `/v1/${route}?${new URLSearchParams({ ...bounds, ...params })}`
  const [responses, lists]: [Record<string, unknown>, Record<string, Record<string, unknown>[]>] = [{}, {}]

  responses[path('reports/types')] = { data: oracleTypes(reports, window, {}) }
  for (const reportType of reportTypeNames) {
    responses[path('reports/count', { reportType })] = { data: oracleCount(reports, window, reportType, {}) }
    const daily = oracleHistogram(reports, window, reportType, {}, '1d')
    responses[path('reports/histogram', { reportType, bucketSize: '1d' })] = { data: daily }
    const rank = (groupBy: readonly DimensionName[]) => {
      const data = oracleGrouped(reports, window, retentionFrom, reportType, {}, groupBy, 100)
      responses[path('reports/grouped', { reportType, groupBy: groupBy.join(','), limit: '100' })] = { data }
      return data
    }
    rank(['documentHost', 'browserName'])
    for (const dimension of dimensionsOf(reportType)) {
      const value = rank([dimension])[0]?.values[0] ?? ''
      if (!/^[ -[\]-~]+$/.test(value)) continue
      const counted = oracleCount(reports, window, reportType, { [dimension]: value })
      responses[path('reports/count', { reportType, [dimension]: value })] = { data: counted }
    }
  }

  lists[path('issues', { limit: '200' })] = oracleIssues(reports, window, {}).map(
    ({ id, reportCount, estimatedReportCount, affectedPages, confidence }) => ({
      id,
      reportCount,
      estimatedReportCount,
      affectedPages,
      confidence,
    }),
  )
  const ofType = (reportType: string) => reports.filter((report) => report.reportType === reportType)
  const groups = {
    crashes: oracleCrashes(ofType('crash'), window, {}),
    'network-errors': oracleNetworkErrors(ofType('network-error'), window, {}),
    'browser-changes': oracleBrowserChanges(reports, window, {}),
  }
  for (const [route, { data, totals }] of Object.entries(groups)) {
    responses[path(route)] = { totals }
    lists[path(route, { limit: '200' })] = data.map(({ reportCount, estimatedReportCount, browsers }) => ({
      reportCount,
      estimatedReportCount,
      browsers,
    }))
  }
  for (const siteId of new Set(reports.map((report) => report.siteId))) {
    const { data } = oracleCspPolicies(reports, window, siteId, undefined)
    lists[path(`sites/${siteId}/csp-policies`, { limit: '200' })] = data.map(({ id, disposition, reportCount }) => ({
      id,
      disposition,
      reportCount,
    }))
  }
  return { responses, lists }
}
