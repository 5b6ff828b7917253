/** @module The contract's verdict on a site, computed the plain way: no SQL, no code of the API. */

import { dayMs } from '../../schema/durations.ts'
import {
  availabilityOf,
  changesOf,
  outcomesOf,
  type PciWorld,
  type RuleRecord,
  scriptEvidence,
  suggestionsOf,
} from './pci-evidence-oracle.ts'
import { oracleScans } from './scan-oracle.ts'

const iso = (time: number) => new Date(time).toISOString()

const gap = (kind: string, count: number | null = null, eventType: string | null = null) => ({ kind, count, eventType })
const counted = (kind: string, count: number) => (count > 0 ? [gap(kind, count)] : [])

function judgeScripts(pageCount: number, readable: boolean, evidence: ReturnType<typeof scriptEvidence>) {
  const { scripts, scannedUrls, lacking, measured } = evidence
  const decided = (status: string) => scripts.filter((script) => script.status === status).length
  const covered = (state: string) => scripts.filter(({ coverage }) => coverage.state === state).length
  const [unreviewed, unprotected, unknown] = [
    decided('unreviewed'),
    covered('unprotected') + lacking,
    covered('unknown'),
  ]
  const unmeasured = scripts.filter(
    ({ url, coverage }) => coverage.state === 'unknown' && !scannedUrls.includes(url),
  ).length
  const running = scripts.filter(({ stillRunning }) => stillRunning).length
  const isUnpinned = scripts.some(
    ({ integrityMode, coverage }) => integrityMode === 'any_content' && coverage.state !== 'protected',
  )
  const gaps =
    pageCount === 0
      ? [gap('no_payment_pages')]
      : !readable
        ? [gap('scripts_not_on_plan')]
        : [
            ...(scripts.length === 0 ? [gap('no_scripts_seen')] : []),
            ...counted('unreviewed_scripts', unreviewed),
            ...counted('rejected_scripts_running', running),
            ...counted('unprotected_scripts', unprotected),
            ...counted('integrity_unmeasured', unmeasured),
            ...(isUnpinned ? [gap('unpinned_scripts')] : []),
          ]
  // Without any script, every one of them is unreviewed too.
  const failed = pageCount === 0 || !readable || unreviewed === scripts.length || running > 0
  return {
    id: '6.4.3',
    status: failed ? 'not_met' : gaps.length > 0 ? 'partial' : 'met',
    facts: {
      paymentPages: pageCount,
      scripts: scripts.length,
      authorized: decided('authorized'),
      unreviewed,
      rejected: decided('rejected'),
      integrity: { protected: covered('protected'), unprotected, unknown, measured },
    },
    gaps,
  }
}

/** The operation's response for a site that has at most 1,000 scripts. */
export function oraclePci(world: PciWorld, now: number) {
  const from = (Math.floor(now / dayMs) - world.retentionDays) * dayMs
  const pages = world.pages
    .filter(({ kind }) => kind === 'payment')
    .sort((a, b) => a.position - b.position || (a.id < b.id ? -1 : 1))
  const has = (capability: string) => world.capabilities.includes(capability)
  const readable = has('pages.payment') || world.hasDecided
  const evidence =
    pages.length > 0 && readable
      ? scriptEvidence(world, pages, from, now)
      : { scripts: [], scannedUrls: [], lacking: 0, measured: false }
  const lastScans = pages.map(({ id }) => oracleScans(world.scans, id).find(({ status }) => status === 'complete'))
  const isRecent = (scan: (typeof lastScans)[number]) =>
    scan !== undefined && Date.parse(scan.scannedAt) > now - 7 * dayMs
  const changes = changesOf(world, now)
  const covers = ({ siteId, kind, enabled }: RuleRecord) =>
    enabled && kind === 'immediate' && (siteId === null || siteId === world.siteId)
  const events = [
    ...['page.headers_changed', 'page.grade_dropped'],
    ...(has('scripts.authorization') ? ['script.changed'] : []),
  ]
  const rules = world.rules.filter((rule) => covers(rule) && events.includes(rule.eventType))
  const uncovered = events.filter((event) => !rules.some(({ eventType }) => eventType === event))
  const outcomes = outcomesOf(world, [...new Set(rules.map(({ destinationId }) => destinationId))])
  const { gone, longest } = availabilityOf(world, pages, now)
  const isRecentDelivery = (time: string) => Date.parse(time) >= now - 30 * dayMs
  const failing = outcomes.filter((one) => one && one.outcome !== 'delivered').length
  const untested = outcomes.filter((one) => !one || !isRecentDelivery(one.createdAt)).length
  const unalerted = changes.filter(({ alerted }) => !alerted)
  const watched = has('pages.scans') ? lastScans.filter(isRecent).length : 0
  const gaps = [
    ...(pages.length === 0 ? [gap('no_payment_pages')] : []),
    ...counted('no_recent_scan', pages.length - watched),
    ...uncovered.map((event) => gap('no_rule', null, event)),
    ...(gone.includes(true) ? [gap('page_unavailable')] : []),
    ...(longest > 7 * dayMs ? [gap('scan_gap')] : []),
    ...(unalerted.length > 0 ? [gap('not_alerted')] : []),
    ...(failing > 0 ? [gap('destination_failing')] : []),
    ...(untested > 0 ? [gap('destination_untested')] : []),
  ]
  const isWatched = (index: number) => has('pages.scans') && isRecent(lastScans[index])
  const isNotMet =
    pages.every((_, index) => !isWatched(index) || gone[index]) ||
    uncovered.length === events.length ||
    outcomes.every((one) => one?.outcome !== 'delivered') ||
    unalerted.some(({ scannedAt }) => Date.parse(scannedAt) < now - 7 * dayMs)
  return {
    siteId: world.siteId,
    siteName: world.siteName,
    generatedAt: iso(now),
    requirements: [
      judgeScripts(pages.length, readable, evidence),
      {
        id: '11.6.1',
        status: isNotMet ? 'not_met' : gaps.length > 0 ? 'partial' : 'met',
        facts: {
          paymentPages: pages.length,
          watched,
          changes: changes.length,
          alerted: changes.filter(({ alerted }) => alerted).length,
          acknowledged: 0,
          // Found from the upgrade on, which all these scans precede.
          scriptChanges: 0,
          alertedScriptChanges: 0,
          acknowledgedScriptChanges: 0,
          unavailable: gone.filter(Boolean).length,
          inlineNotComparable: 0,
          longestScanGapDays: Math.round((longest / dayMs) * 10) / 10,
          destinations: outcomes.length,
          failingDestinations: failing,
          untestedDestinations: untested,
        },
        gaps,
      },
    ],
    evidence: {
      scripts: evidence.scripts,
      uninventoriedUnprotected: evidence.lacking,
      pages: pages.map(({ id, label, scanUrl }, index) => ({
        id,
        label,
        scanUrl,
        lastScanAt: lastScans[index]?.scannedAt ?? null,
        grade: lastScans[index]?.grade ?? null,
        watched: has('pages.scans') && isRecent(lastScans[index]),
      })),
      changes,
      window: pages.length > 0 ? { from: iso(from), to: iso(now) } : null,
      suggestions: pages.length > 0 ? [] : suggestionsOf(world, Math.max(from, now - 30 * dayMs), now),
    },
    plan: {
      current: world.plan,
      requiredFor: {
        paymentPages: has('pages.payment') ? null : 'professional',
        scans: has('pages.scans') ? null : 'professional',
        decisions: has('scripts.authorization') ? null : 'business',
      },
    },
  }
}
