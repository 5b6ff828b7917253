/**
 * @module Issues of the types that declare them, computed the plain way over rows: no SQL, no rollups, no code of the
 * API.
 */

import { storedTypeRows } from '../../schema/report-types.ts'
import type { StoredReport } from '../../schema/stored-report.ts'
import { firstHalfOfMd5 } from '../support/md5.ts'
import { estimated, type OracleWindow, pageOf, passes, times, weightOf } from './oracle-parts.ts'

/** What of a report its issue is made from. */
export type IssueRow = Pick<
  StoredReport,
  | 'siteId'
  | 'reportType'
  | 'receivedAt'
  | 'weight'
  | 'sampleRate'
  | 'browserName'
  | 'documentUrl'
  | 'issueSubject'
  | 'issueHost'
  | 'noise'
>

export interface IssueFilters {
  readonly siteId?: string | undefined
  readonly reportTypes?: readonly string[] | undefined
  /** By parameter: subject, targetHost, confidence, noise and new. */
  readonly others?: Readonly<Record<string, string | readonly string[]>>
}

/** The issue's id: the first half of the MD5 of what makes it one. */
export const oracleIssueId = ({
  siteId,
  reportType,
  issueSubject,
  issueHost,
}: Pick<IssueRow, 'siteId' | 'reportType' | 'issueSubject' | 'issueHost'>) =>
  firstHalfOfMd5([siteId, reportType, issueSubject, issueHost].join('\n'))

/** Every issue of the list, the latest seen first. */
export function oracleIssues(
  rows: readonly IssueRow[],
  { from, to }: OracleWindow,
  { siteId, reportTypes, others = {} }: IssueFilters,
) {
  const groups = new Map<string, IssueRow[]>()
  const firstEver = new Map<string, number>()
  for (const row of rows) {
    const id = oracleIssueId(row)
    firstEver.set(id, Math.min(row.receivedAt, firstEver.get(id) ?? row.receivedAt))
  }
  for (const row of rows) {
    if (row.receivedAt < from || row.receivedAt >= to || (siteId !== undefined && row.siteId !== siteId)) continue
    if (!storedTypeRows[row.reportType].issue || !(reportTypes?.includes(row.reportType) ?? true)) continue
    const id = oracleIssueId(row)
    groups.set(id, [...(groups.get(id) ?? []), row])
  }
  const { noise, 'confidence.any': confidences, new: isNew, ...about } = others
  return [...groups]
    .flatMap(([id, group]) => {
      const counted = noise === undefined ? group : group.filter((row) => row.noise === (noise === 'only'))
      if (counted.length === 0) return []
      const firstSeen = firstEver.get(id) as number
      if (isNew === 'true' && firstSeen < from) return []
      const issue = {
        ...toIssue(id, counted),
        confidence: confidenceOf(group),
        ...(isNew === 'true' && { firstSeenEver: new Date(firstSeen).toISOString() }),
      }
      if (confidences !== undefined && !confidences.includes(issue.confidence)) return []
      const passesAll = Object.entries(about).every(([parameter, given]) => {
        const [name, operator = 'any'] = parameter.split('.')
        const values = [given].flat()
        return name === 'targetHost'
          ? passes(
              issue.targetHost,
              operator,
              values.map((value) => value.toLowerCase()),
            )
          : passes(issue.subject, operator, values)
      })
      return passesAll ? [issue] : []
    })
    .sort((a, b) => (a.lastSeen === b.lastSeen ? (a.id < b.id ? -1 : 1) : a.lastSeen < b.lastSeen ? 1 : -1))
}

function toIssue(id: string, group: readonly IssueRow[]) {
  const [row] = group as [IssueRow, ...IssueRow[]]
  const times = group.map(({ receivedAt }) => receivedAt)
  const pages = new Set(group.map(({ documentUrl }) => documentUrl.replace(/\?.*$/s, '')))
  const families = new Set(group.map(({ browserName }) => browserName))
  pages.delete('')
  families.delete('')
  const { issue, dimensions } = storedTypeRows[row.reportType]
  const isOfDirective = issue?.subject === 'directive'
  const isOfBlockedHost = issue?.hostOf === 'blockedUrl' && dimensions.some((name) => name === 'blockedHost')
  return {
    id,
    siteId: row.siteId,
    reportType: row.reportType,
    subject: row.issueSubject,
    targetHost: row.issueHost,
    directive: isOfDirective && row.issueSubject !== '' ? row.issueSubject : null,
    blockedHost: isOfBlockedHost && row.issueHost !== '' ? row.issueHost : null,
    reportCount: group.length,
    estimatedReportCount: estimated(group),
    sampled: group.some(({ sampleRate }) => sampleRate < 1),
    affectedPages: pages.size,
    browserFamilyCount: families.size,
    firstSeen: new Date(Math.min(...times)).toISOString(),
    lastSeen: new Date(Math.max(...times)).toISOString(),
  }
}

/** Pages of one issue's reports, largest estimate first. */
export function oracleIssuePages(own: readonly IssueRow[]) {
  const byPage = new Map<string, IssueRow[]>()
  for (const row of own) byPage.set(pageOf(row), [...(byPage.get(pageOf(row)) ?? []), row])
  return [...byPage]
    .map(([page, rows]) => ({ page, rows, weight: weightOf(rows), hash: firstHalfOfMd5(page) }))
    .sort((a, b) => Number(b.weight - a.weight) || (a.hash < b.hash ? -1 : 1))
    .map(({ page, rows }) => ({
      page,
      reportCount: rows.length,
      estimatedReportCount: estimated(rows),
      ...times(rows),
    }))
}

function confidenceOf(group: readonly IssueRow[]): string {
  const families = new Set(group.map(({ browserName }) => browserName).filter((name) => name !== ''))
  const points = (families.size >= 2 ? 1 : 0) + (group.length >= 10 ? 1 : 0)
  return group.every(({ noise }) => noise) ? 'suppressed' : (['low', 'medium', 'high'][points] as string)
}
