import { documents } from '../../fixtures/known-scripts.ts'
import type { ScanRecord } from '../../fixtures/scans.ts'
import type { StoredReport } from '../../schema/stored-report.ts'
import { iso, type ScriptWorld, unique } from '../support/script-world.ts'
import type { OracleWindow } from './oracle-parts.ts'

/** What a window holds of a site. */
export function within(world: ScriptWorld, { from, to }: OracleWindow) {
  const reports = world.reports.filter(({ receivedAt }) => receivedAt >= from && receivedAt < to)
  const scans = world.scans.filter(({ pageId, scannedAt }) => {
    const at = Date.parse(scannedAt)
    return world.paymentPages.includes(pageId) && at >= from && at < to
  })
  const violations = reports.filter(({ reportType }) => reportType === 'integrity-violation')
  const later = (a: ScanRecord, b: ScanRecord) =>
    a.scannedAt > b.scannedAt || (a.scannedAt === b.scannedAt && a.id > b.id)
  const latest = (some: readonly ScanRecord[]) =>
    some.reduce<ScanRecord | undefined>((last, one) => (last && !later(one, last) ? last : one), undefined)
  const loaded = ({ status, statusCode }: ScanRecord) =>
    status === 'complete' && statusCode !== null && Math.floor(statusCode / 100) === 2
  return { reports, scans, violations, latest, later, loaded }
}

const pagesOf = (rows: readonly StoredReport[]) => unique(rows.map(({ documentUrl }) => documentUrl))
const withoutQuery = (url: string) => url.split('?')[0] ?? ''
export const isPayment = (url: string) => documents.some((one) => one.url === url && one.paymentPages.length > 0)

export function violationOf(rows: readonly StoredReport[]) {
  const last = Math.max(...rows.map(({ receivedAt }) => receivedAt))
  const blocked = rows.some(({ receivedAt, disposition }) => receivedAt === last && disposition === 'enforce')
  return { last, mode: blocked ? 'enforce' : 'report' }
}

export function coverageOf(
  reporting: boolean,
  violations: readonly StoredReport[],
  reported: boolean,
  tags: readonly boolean[],
) {
  const decided = (state: string, decidedBy: string | null) => ({
    state,
    decidedBy,
    lastUnprotectedAt: null,
    mode: null,
  })
  if (violations.length > 0) {
    const { last, mode } = violationOf(violations)
    return { state: 'unprotected', decidedBy: 'reports', lastUnprotectedAt: iso(last), mode }
  }
  if (!reporting) return decided('unknown', null)
  if (tags.includes(false)) return decided('unprotected', 'scan')
  if (reported) return decided('protected', 'reports')
  return tags.length > 0 ? decided('protected', 'scan') : decided('unknown', null)
}

export function presenceOf(world: ScriptWorld, window: OracleWindow, url: string) {
  const { scans, latest, later, loaded } = within(world, window)
  const found = world.paymentPages.toSorted().flatMap((pageId) => {
    const ofPage = scans.filter((scan) => scan.pageId === pageId)
    const last = latest(ofPage.filter(({ scripts }) => scripts?.some(({ identityUrl }) => identityUrl === url)))
    const current = latest(ofPage.filter(loaded))
    const now = latest(ofPage.filter((scan) => loaded(scan) && scan.scripts !== null))
    const tags = current?.scripts?.filter(({ identityUrl }) => identityUrl === url) ?? []
    const haveIntegrity = tags.map(({ integrity }) =>
      (integrity ?? '').split(/\s/).some((one) => /^sha(256|384|512)-[\w+/-]/i.test(one)),
    )
    return last ? [{ pageId, last, haveIntegrity, gone: now !== undefined && later(now, last) }] : []
  })
  const last = latest(found.map((one) => one.last))
  const presence = last
    ? {
        latestScan: { scanId: last.id, pageId: last.pageId, scannedAt: last.scannedAt },
        foundOn: found.map(({ pageId }) => pageId),
        goneFrom: found
          .filter(({ gone }) => gone)
          .map((one) => ({ pageId: one.pageId, lastScanId: one.last.id, lastSeenAt: one.last.scannedAt })),
      }
    : null
  return { presence, tags: found.flatMap(({ haveIntegrity }) => haveIntegrity) }
}

export function activityOf(rows: readonly StoredReport[]) {
  if (rows.length === 0) return null
  const pages = pagesOf(rows).filter((url) => url !== '')
  const hashes = unique(rows.map(({ reportedHash }) => reportedHash))
  const last = (hash: string) =>
    Math.max(...rows.filter((row) => row.reportedHash === hash).map(({ receivedAt }) => receivedAt))
  return {
    reportCount: rows.length,
    pageCount: unique(pages.map(withoutQuery)).length,
    paymentPageCount: unique(pages.filter(isPayment).map(withoutQuery)).length,
    hashes: hashes.sort((a, b) => last(b) - last(a) || (a < b ? -1 : 1)).slice(0, 50),
  }
}
