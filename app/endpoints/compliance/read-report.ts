/** @module The report of a site: records and browser reports up to a time. */

import { listAlertRules } from '../../../queries/alerts/rules.ts'
import { paymentPageIds } from '../../../queries/pages/payment-pages.ts'
import { readerAsRecorded } from '../../../queries/records/as-recorded.ts'
import { findHistoryStart, findRecordingStart } from '../../../queries/records/recording-start.ts'
import { countPageScans, countScansPerWeek, type ScanWeek } from '../../../queries/scans/scans.ts'
import { listScriptCaptures } from '../../../queries/scripts/captures.ts'
import { listScriptDecisions } from '../../../queries/scripts/decisions.ts'
import { listScannedVersions } from '../../../queries/scripts/scanned-versions.ts'
import { listRecordingTimes } from '../../../queries/scripts/scripts.ts'
import type { Reader } from '../../../queries/sql/query.ts'
import { findRecordedSite } from '../../../queries/tenants/sites.ts'
import { findTenant, type Tenant } from '../../../queries/tenants/tenants.ts'
import { dayMs } from '../../../schema/durations.ts'
import { changeDays, evidenceFormat, maxVersions, versionDays } from '../../../schema/pci.ts'
import { entitlements, retentionStart } from '../../../schema/plans.ts'
import { Problem } from '../../../schema/problems.ts'
import type { PciReport } from '../../../schema/responses/pci-report.ts'
import { byText } from '../../../schema/rules/by-text.ts'
import { evidenceHash } from '../../../schema/rules/pci/evidence-hash.ts'
import { requirementText } from '../../../schema/rules/pci/report-texts.ts'
import type { TimeRange } from '../../../schema/rules/time/time-range.ts'
import { toReadWindow } from '../../../schema/rules/time/window.ts'
import { readReadiness } from './read-readiness.ts'
import { failedAlertIds } from './report-deliveries.ts'
import { limitsOf } from './report-limits.ts'
import { observedOf } from './report-observed.ts'

interface ReportRequest {
  readonly tenantId: string
  readonly siteId: string
  readonly asOf: Date
  readonly now: Date
  /** The tenant's whole retention. */
  readonly stored: TimeRange
}

/** Throws bad_request if the site was not recorded by then. */
export async function readReport(today: Reader, request: ReportRequest): Promise<PciReport> {
  const { asOf, now, stored } = request
  const reader = readerAsRecorded(today, request, asOf)
  const [owner, [site]] = await readOwner(reader, request)
  if (!owner || !site || Date.parse(site.createdAt) > asOf.getTime()) {
    const [start] = await today.read(findRecordingStart(request))
    throw new Problem(
      'bad_request',
      `asOf must not be before the site was recorded: the earliest is ${start?.startedAt}`,
    )
  }
  const tenant = { ...owner, entitlements: entitlements(owner.plan, owner.overrides) }
  const windowFrom = retentionStart(tenant.entitlements.retentionDays, asOf).getTime()
  const to = asOf.getTime()
  const window = { ...stored, from: Math.min(Math.max(windowFrom, stored.from), to), to }
  const isClipped = window.from > windowFrom
  const scanWindow = isClipped ? { ...window, from: windowFrom } : undefined
  const scripts = { window, ...(scanWindow && { scanWindow }), seenSince: windowFrom, hashes: true }
  const readiness = await readReadiness(reader, { tenant, siteId: request.siteId, ...scripts })
  const [records, [history]] = await Promise.all([readRecords(reader, request, window), today.read(findHistoryStart)])
  const evidence = evidenceOf({ ...request, tenant, siteName: site.name }, readiness, records)
  const observed = { window: toReadWindow(window), ...observedOf(readiness) }
  return {
    generatedAt: now.toISOString(),
    evidenceHash: evidenceHash(evidence),
    requirements: readiness.requirements.map(requirementText),
    watchedPageIds: readiness.watchedPages.filter(({ watched }) => watched).map(({ id }) => id),
    evidence,
    observed,
    limits: limitsOf({
      asOf,
      windowFrom,
      window,
      evidence,
      inventory: readiness.inventory,
      hasScripts: readiness.hasScripts,
      observed,
      history,
    }),
  }
}

const readOwner = ({ read }: Reader, site: ReportRequest) =>
  Promise.all([read(findTenant(site.tenantId)).then(([tenant]) => tenant), read(findRecordedSite(site))])

type Records = Awaited<ReturnType<typeof readRecords>>

/** Records that the verdicts do not need. */
async function readRecords({ read }: Reader, site: ReportRequest, window: TimeRange) {
  const { tenantId, asOf } = site
  const filter = { ...site, window, hasPaymentPages: true }
  const daysBefore = (days: number) => new Date(asOf.getTime() - days * dayMs)
  const since = daysBefore(changeDays)
  const [rules, decisions, recordingTimes, versions, captures, scans, weeks] = await Promise.all([
    read(listAlertRules(tenantId)),
    read(listScriptDecisions(filter)),
    read(listRecordingTimes(site)),
    read(listScannedVersions(site, { since: daysBefore(versionDays), limit: maxVersions + 1 })),
    read(listScriptCaptures(filter)),
    read(countPageScans(tenantId, paymentPageIds(site), since)),
    read(countScansPerWeek(tenantId, paymentPageIds(site), mondayOf(daysBefore(versionDays)))),
  ])
  return { rules, decisions, recordingTimes, versions, captures, scans, weeks }
}

const mondayOf = (time: Date) => new Date(time.getTime() - ((time.getTime() / dayMs + 3) % 7) * dayMs)

/** Weeks since the first one with a scan, also without scans. */
function everyWeek(weeks: readonly ScanWeek[], asOf: Date): ScanWeek[] {
  const found = new Map(weeks.map((one) => [one.week, one]))
  const [first] = weeks
  const start = Date.parse(first?.week ?? asOf.toISOString())
  return Array.from({ length: Math.ceil((asOf.getTime() - start) / (7 * dayMs)) }, (_, index) => {
    const week = new Date(start + index * 7 * dayMs).toISOString().slice(0, 10)
    return found.get(week) ?? { week, pages: 0, complete: 0, failed: 0 }
  })
}

interface Owner extends ReportRequest {
  readonly tenant: Tenant
  readonly siteName: string
}

function evidenceOf(
  { tenant, siteId, siteName, asOf }: Owner,
  {
    pages,
    coveredPages,
    destinations,
    foundChanges,
    scriptChanges,
    deliveries,
  }: Awaited<ReturnType<typeof readReadiness>>,
  { rules, decisions, recordingTimes, versions, captures, scans, weeks }: Records,
): PciReport['evidence'] {
  const patternOf = new Map(pages.map(({ id, pattern }) => [id, pattern]))
  const scansOf = new Map(scans.map(({ pageId, complete, failed }) => [pageId, { complete, failed }]))
  const recordedAt = new Map(recordingTimes.map(({ id, recordedAt }) => [id, recordedAt]))
  return {
    format: evidenceFormat,
    asOf: asOf.toISOString(),
    tenant: { id: tenant.id, name: tenant.name },
    site: { id: siteId, name: siteName },
    plan: { name: tenant.plan, overrides: tenant.overrides },
    pages: coveredPages.map(({ watched: _, ...page }) => ({
      ...page,
      pattern: patternOf.get(page.id) ?? '',
      completeScans: scansOf.get(page.id)?.complete ?? 0,
      failedScans: scansOf.get(page.id)?.failed ?? 0,
    })),
    rules: rules
      .filter((rule) => rule.siteId === null || rule.siteId === siteId)
      .toSorted((a, b) => byText(a.id, b.id)),
    decisions: decisions.map(({ url, decision }) => ({
      url,
      ...decision,
      recordedAt: recordedAt.get(decision.id) ?? decision.decidedAt,
    })),
    versions: versions.slice(0, maxVersions),
    destinations,
    versionsTruncated: versions.length > maxVersions,
    captures: captures
      .map(({ url, hash, capture }) => ({ url, hash, ...capture }))
      .toSorted((a, b) => byText(a.url, b.url) || byText(a.hash, b.hash)),
    changes: foundChanges.map(({ alerts, ...change }) => {
      const alertIds = [...new Set(alerts.map(({ alertId }) => alertId))].sort()
      return { ...change, alertIds, failedAlertIds: alertIds.length > 0 ? [] : failedAlertIds(change, deliveries) }
    }),
    scriptChanges,
    deliveries,
    scanWeeks: everyWeek(weeks, asOf),
  }
}
