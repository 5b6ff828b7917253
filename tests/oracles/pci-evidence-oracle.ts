/** @module The evidence of a verdict on a site, computed the plain way: no SQL, no code of the API. */

import { documents, paymentPatterns } from '../../fixtures/known-scripts.ts'
import { dayMs } from '../../schema/durations.ts'
import type { AlertDelivery } from '../../schema/responses/alert-delivery.ts'
import type { PageRecord } from '../../schema/responses/monitored-page.ts'
import type { StoredReport } from '../../schema/stored-report.ts'
import type { ScriptWorld } from '../support/script-world.ts'
import { oracleScans } from './scan-oracle.ts'
import { oracleScripts } from './script-oracle.ts'

/** An alert rule as it is imported. */
export interface RuleRecord {
  readonly id: string
  readonly siteId: string | null
  readonly eventType: string
  readonly kind: 'immediate' | 'digest'
  readonly destinationId: string
  readonly enabled: boolean
}

/** All that a verdict on one site follows from. Rules and deliveries are those of the tenant. */
export interface PciWorld extends Pick<ScriptWorld, 'siteId' | 'reports' | 'scans' | 'decisions'> {
  readonly siteName: string
  readonly plan: string
  readonly capabilities: readonly string[]
  readonly retentionDays: number
  /** The tenant has a decision on record, about a script of any site. */
  readonly hasDecided: boolean
  /** Their patterns are among those that `documents` counts. */
  readonly pages: readonly PageRecord[]
  readonly rules: readonly RuleRecord[]
  readonly deliveries: readonly AlertDelivery[]
}

const iso = (time: number) => new Date(time).toISOString()
const unique = <T>(values: readonly T[]): T[] => [...new Set(values)]
const hostOf = (url: string) => url.split('/')[2]?.replace(/:\d+$/, '')

/** Documents that look like an id somewhere, and what they are suggested as. */
const suggested: Readonly<Record<string, string>> = {
  'https://shop.example.test/pay/7': 'https://shop.example.test/pay/*',
  'https://shop.example.test/pay/7/8': 'https://shop.example.test/pay/*/*',
}

const isPage = (url: string, { pattern }: PageRecord) =>
  documents.some((one) => one.url === url && one.paymentPages.some((index) => paymentPatterns[index] === pattern))

/** The scripts seen on payment pages, how many others were reported unprotected there, and whether any was. */
export function scriptEvidence(world: PciWorld, pages: readonly PageRecord[], from: number, now: number) {
  const reports = world.reports.filter(({ receivedAt }) => receivedAt >= from && receivedAt < now)
  const violations = reports.filter(({ reportType }) => reportType === 'integrity-violation')
  const nothingElse = { captures: [], libraries: new Map(), catalog: '', checkedAt: '', advised: false }
  const paymentPages = pages.map(({ id }) => id)
  const scripts = oracleScripts({ ...world, ...nothingElse, paymentPages, seenSince: from }, { from, to: now })
  const onAny = ({ documentUrl }: StoredReport) => pages.some((page) => isPage(documentUrl, page))
  const lacking = unique(violations.filter(onAny).map(({ scriptUrl }) => scriptUrl)).filter(
    (url) => url !== '' && !scripts.some((script) => script.url === url),
  )
  const evidence = scripts.flatMap((script) => {
    const own = reports.filter(({ scriptUrl }) => scriptUrl === script.url)
    const found = (page: PageRecord) =>
      world.scans.filter(({ pageId, scannedAt, scripts: tags }) => {
        const inWindow = scannedAt >= iso(from) && scannedAt < iso(now)
        return pageId === page.id && inWindow && tags?.some(({ identityUrl }) => identityUrl === script.url)
      })
    const times = (page: PageRecord) => [
      ...own.filter(({ documentUrl }) => isPage(documentUrl, page)).map(({ receivedAt }) => receivedAt),
      ...found(page).map(({ scannedAt }) => Date.parse(scannedAt)),
    ]
    const seenOn = pages.filter((page) => times(page).length > 0)
    if (seenOn.length === 0) return []
    const { id, url, status, integrityMode, justification, decidedBy, decidedAt, coverage } = script
    const rejectedAt = status === 'rejected' ? Date.parse(decidedAt ?? '') : Number.POSITIVE_INFINITY
    return [
      {
        id,
        url,
        status,
        integrityMode,
        justification,
        decidedBy,
        decidedAt,
        coverage,
        stillRunning: seenOn.flatMap(times).some((time) => time > rejectedAt),
        paymentPages: seenOn.map((page) => ({ pageId: page.id, label: page.label })),
        uninventoriedUnprotected: lacking.filter((other) => hostOf(other) === hostOf(url)).length,
      },
    ]
  })
  const scannedUrls = evidence
    .filter(({ url, paymentPages: seenOn }) => {
      const own = pages.filter(({ id }) => seenOn.some(({ pageId }) => pageId === id))
      return scripts.some((script) => script.url === url && isScannedWeekly(world, script, own, now))
    })
    .map(({ url }) => url)
  return { scripts: evidence, scannedUrls, lacking: lacking.length, measured: violations.length > 0 }
}

type OracleScript = ReturnType<typeof oracleScripts>[number]

/** Whether scans found an authorized hash on each page in each of the last five weeks, or since the authorization. */
function isScannedWeekly(
  { scans }: PciWorld,
  { url, hashes, decidedAt, scanPresence }: OracleScript,
  pages: readonly PageRecord[],
  now: number,
): boolean {
  const pinned = hashes.filter((one) => one.pinned).map(({ hash }) => hash)
  const gone = scanPresence?.goneFrom.map(({ pageId }) => pageId) ?? []
  const own = pages.filter(({ id }) => !gone.includes(id))
  return (
    pinned.length > 0 &&
    own.length > 0 &&
    own.every((page) => {
      const shown = scans.filter((scan) => scan.pageId === page.id && isOf(page, scan))
      const recent = shown.map(({ scannedAt }) => Date.parse(scannedAt)).filter((at) => at >= now - 30 * dayMs)
      // The test adds its pages after `now`.
      const age = now - Math.max(Date.parse(decidedAt ?? ''), Math.min(...recent, now))
      const weeks = Math.max(1, Math.min(5, Math.floor(age / (7 * dayMs))))
      const found = shown
        .filter(({ scripts }) => scripts?.some((tag) => tag.identityUrl === url && pinned.includes(tag.hash ?? '')))
        .map(({ scannedAt }) =>
          Math.floor((Math.floor(now / 1000) - Math.floor(Date.parse(scannedAt) / 1000)) / 604_800),
        )
      return Array.from({ length: weeks }, (_, week) => week).every((week) => found.includes(week))
    })
  )
}

const strip = (url: string) => url.replace(/\?.*$/, '').replace(/\/$/, '')

/** Whether a scan shows the page. */
function isOf(page: PageRecord, { status, statusCode, scanUrl, finalUrl }: PciWorld['scans'][number]): boolean {
  if (status === 'failed' || statusCode === null || statusCode < 200 || statusCode > 299) return false
  return finalUrl === null || strip(finalUrl) === strip(scanUrl) || isPage(finalUrl, page)
}

/** Pages that are not there, and the longest time between two scans of a page, in milliseconds. */
export function availabilityOf({ scans }: PciWorld, pages: readonly PageRecord[], now: number) {
  const found = pages.map((page) => {
    const recent = scans
      .filter(({ pageId, scannedAt }) => pageId === page.id && scannedAt >= iso(now - 30 * dayMs))
      .sort((a, b) => (a.scannedAt + a.id < b.scannedAt + b.id ? -1 : 1))
    const last = recent.filter(
      ({ status, failureReason }) => status === 'complete' || failureReason === 'access_denied',
    )
    const times = recent.filter((scan) => isOf(page, scan)).map(({ scannedAt }) => Date.parse(scannedAt))
    const latest = last.at(-1)
    return {
      isGone: latest !== undefined && !isOf(page, latest),
      longest: Math.max(0, ...times.slice(1).map((time, index) => time - (times[index] ?? 0))),
    }
  })
  return {
    gone: found.map(({ isGone }) => isGone),
    longest: Math.max(0, ...found.map(({ longest }) => longest)),
  }
}

/** Outcome of the latest delivery to each destination; undefined without one. */
export const outcomesOf = ({ deliveries }: PciWorld, destinations: readonly string[]) =>
  destinations.map((id) =>
    deliveries
      .filter(({ destination }) => destination.id === id)
      .sort((a, b) => (a.createdAt < b.createdAt || (a.createdAt === b.createdAt && a.id < b.id) ? -1 : 1))
      .at(-1),
  )

/**
 * The scans of payment pages in 30 days that found something changed, newest first. Each alert, the oldest first, speaks
 * for the latest change of any page that it can be about and that none before it speaks for.
 */
export function changesOf({ siteId, pages, scans, deliveries }: PciWorld, now: number) {
  const found = pages
    .filter((page) => page.siteId === siteId)
    .flatMap(({ id, label, kind }) => oracleScans(scans, id).map((scan) => ({ ...scan, label, kind })))
    .filter(({ scannedAt }) => scannedAt >= iso(now - 30 * dayMs))
    .filter(({ changes }) => changes.headers.length > 0 || changes.gradeDroppedFrom !== null)
    .sort((a, b) => (a.scannedAt > b.scannedAt || (a.scannedAt === b.scannedAt && a.id > b.id) ? -1 : 1))
  const about = { 'page.headers_changed': new Set<string>(), 'page.grade_dropped': new Set<string>() }
  const known = new Set<string>()
  const sent = deliveries
    .filter((one) => one.siteId === siteId && one.kind === 'immediate' && one.outcome === 'delivered')
    .filter(({ createdAt }) => createdAt >= iso(now - 30 * dayMs))
    .sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1))
  for (const { alertId, eventType, createdAt } of sent) {
    if (eventType !== 'page.headers_changed' && eventType !== 'page.grade_dropped') continue
    if (known.has(`${eventType} ${alertId}`)) continue
    known.add(`${eventType} ${alertId}`)
    const latest = found.find(
      ({ id, scannedAt, changes: { headers, gradeDroppedFrom } }) =>
        (eventType === 'page.headers_changed' ? headers.length > 0 : gradeDroppedFrom !== null) &&
        createdAt >= scannedAt &&
        Date.parse(createdAt) <= Date.parse(scannedAt) + dayMs &&
        !about[eventType].has(id),
    )
    if (latest) about[eventType].add(latest.id)
  }
  const ofPayment = found.filter(({ kind }) => kind === 'payment')
  return ofPayment.map(({ id, pageId, label, scannedAt, changes: { headers, gradeDroppedFrom }, grade }) => ({
    scanId: id,
    pageId,
    pageLabel: label,
    scannedAt,
    gradeDroppedFrom,
    grade,
    headers: headers.map(({ header }) => header),
    alerted: about['page.headers_changed'].has(id) || about['page.grade_dropped'].has(id),
  }))
}

/** The busiest pages, and what they are suggested as. A network error names a page of any site. */
export function suggestionsOf({ reports }: PciWorld, from: number, now: number) {
  const recent = reports.filter(
    ({ reportType, receivedAt, documentUrl }) =>
      !['csp-hash', 'network-error'].includes(reportType) &&
      receivedAt >= from &&
      receivedAt < now &&
      documentUrl !== '',
  )
  const pages = recent.map(({ documentUrl }) => documentUrl.split('?')[0] ?? '')
  const times = (url: string) => pages.filter((page) => page === url).length
  return unique(pages)
    .sort((a, b) => times(b) - times(a) || (a < b ? -1 : 1))
    .slice(0, 5)
    .map((url) => ({ url, suggestedPattern: suggested[url] ?? url }))
}
