/** @module The verdicts on requirements 6.4.3 (Rule 65) and 11.6.1 (Rule 66). */

import { dayMs } from '../../durations.ts'
import {
  changeDays,
  changesRequirement,
  type PciGapKind,
  type PciStatus,
  pciGapKinds,
  scriptsRequirement,
  unalertedDays,
  watchedDays,
} from '../../pci.ts'

export interface ScriptEvidence {
  readonly paymentPages: number
  /** Included in the plan, or by Rule 6. */
  readonly onPlan: boolean
  /** The site has more scripts than one read returns. */
  readonly truncated: boolean
  readonly scripts: readonly {
    readonly status: 'unreviewed' | 'authorized' | 'rejected'
    readonly coverage: 'protected' | 'unprotected' | 'unknown'
    /** Rejected, and reported on a payment page since. */
    readonly stillRunning: boolean
    /** Null unless authorized. */
    readonly integrityMode: 'any_content' | 'pinned_hashes' | null
    /** Authorized until a day that is over. */
    readonly reviewOverdue: boolean
    /** Scans found its authorized hash (Rule 88). */
    readonly isScanned: boolean
  }[]
  readonly uninventoriedUnprotected: number
  /** The site sends integrity reports. */
  readonly measured: boolean
}

export interface WatchedChange {
  readonly scannedAt: string
  readonly alerted: boolean
  /** First acknowledgement in time. */
  readonly acknowledgedAt: string | null
}

export interface ChangeEvidence {
  readonly now: Date
  /** Rule 67. */
  readonly pages: readonly {
    readonly watched: boolean
    readonly unavailable: boolean
    readonly inlineNotComparable: boolean
    /** Longest time between scans that count. */
    readonly longestScanGapMs: number
  }[]
  readonly changes: readonly WatchedChange[]
  readonly scriptChanges: readonly WatchedChange[]
  /** Event types that the plan's scans find. */
  readonly events: readonly string[]
  /** Event types with an immediate alert rule. */
  readonly alertedEvents: readonly string[]
  /** Destinations of these rules, each with its latest delivery, null without one. */
  readonly destinations: readonly { readonly outcome: string | null; readonly at: string | null }[]
}

export interface PciGap {
  readonly kind: PciGapKind
  readonly count: number | null
  readonly eventType: string | null
}

const gap = (kind: PciGapKind, count: number | null = null, eventType: string | null = null): PciGap => ({
  kind,
  count,
  eventType,
})

const when = (applies: boolean, kind: PciGapKind) => (applies ? [gap(kind)] : [])

const counted = (kind: PciGapKind, count: number): PciGap[] => (count > 0 ? [gap(kind, count)] : [])

/** Each of these kinds makes a requirement not met. */
const decisive: ReadonlySet<PciGapKind> = new Set([
  'no_payment_pages',
  'scripts_not_on_plan',
  'no_scripts_seen',
  'rejected_scripts_running',
])

function statusOf(gaps: readonly PciGap[], notMet: boolean): PciStatus {
  if (notMet || gaps.some(({ kind }) => decisive.has(kind))) return 'not_met'
  return gaps.length > 0 ? 'partial' : 'met'
}

const inOrder = (gaps: readonly PciGap[]) =>
  gaps.toSorted((a, b) => pciGapKinds.indexOf(a.kind) - pciGapKinds.indexOf(b.kind))

export function judgeScripts(evidence: ScriptEvidence) {
  const { paymentPages, scripts, uninventoriedUnprotected, measured } = evidence
  const having = (status: string) => scripts.filter((script) => script.status === status).length
  const covered = (state: string) => scripts.filter(({ coverage }) => coverage === state).length
  const integrity = {
    protected: covered('protected'),
    unprotected: covered('unprotected') + uninventoriedUnprotected,
    unknown: covered('unknown'),
    measured,
  }
  const facts = {
    paymentPages,
    scripts: scripts.length,
    authorized: having('authorized'),
    unreviewed: having('unreviewed'),
    rejected: having('rejected'),
    integrity,
  }
  const gaps = inOrder(scriptGaps(evidence, { ...facts, ...integrity }))
  const allUnreviewed = facts.scripts > 0 && facts.unreviewed === facts.scripts
  return { id: scriptsRequirement, status: statusOf(gaps, allUnreviewed), facts, gaps } as const
}

function scriptGaps(
  evidence: ScriptEvidence,
  counts: { scripts: number; unreviewed: number; unprotected: number },
): PciGap[] {
  if (evidence.paymentPages === 0) return [gap('no_payment_pages')]
  if (!evidence.onPlan) return [gap('scripts_not_on_plan')]
  return [
    ...(evidence.truncated ? [gap('inventory_truncated')] : []),
    ...(counts.scripts === 0 ? [gap('no_scripts_seen')] : []),
    ...counted('unreviewed_scripts', counts.unreviewed),
    ...counted('rejected_scripts_running', evidence.scripts.filter(({ stillRunning }) => stillRunning).length),
    ...counted('unprotected_scripts', counts.unprotected),
    ...counted('integrity_unmeasured', evidence.scripts.filter(isUnmeasured).length),
    ...when(evidence.scripts.some(isUnpinned), 'unpinned_scripts'),
    ...when(
      evidence.scripts.some(({ reviewOverdue }) => reviewOverdue),
      'review_overdue',
    ),
  ]
}

const isUnmeasured = ({ coverage, isScanned }: ScriptEvidence['scripts'][number]) =>
  coverage === 'unknown' && !isScanned

/** Its bytes are authorized neither by their hash nor by integrity metadata. */
const isUnpinned = ({ integrityMode, coverage }: ScriptEvidence['scripts'][number]) =>
  integrityMode === 'any_content' && coverage !== 'protected'

export function judgeChanges(evidence: ChangeEvidence) {
  const { now, pages, changes, scriptChanges, events, alertedEvents, destinations } = evidence
  const watched = pages.filter((page) => page.watched)
  const uncovered = events.filter((event) => !alertedEvents.includes(event))
  const unavailable = pages.filter((page) => page.unavailable).length
  const inlineNotComparable = pages.filter((page) => page.inlineNotComparable).length
  const longestScanGapMs = Math.max(0, ...pages.map((page) => page.longestScanGapMs))
  const alerted = (some: readonly WatchedChange[]) => some.filter((change) => change.alerted).length
  const missed = (some: readonly WatchedChange[]) => some.filter((change) => !change.alerted && !change.acknowledgedAt)
  const unalerted = missed([...changes, ...scriptChanges])
  const isOld = (time: string, days: number) => now.getTime() - Date.parse(time) > days * dayMs
  const failing = destinations.filter(({ outcome }) => outcome !== null && outcome !== 'delivered').length
  const untested = destinations.filter(({ at }) => at === null || isOld(at, changeDays)).length
  const gaps = inOrder([
    ...(pages.length === 0 ? [gap('no_payment_pages')] : []),
    ...counted('no_recent_scan', pages.length - watched.length),
    ...uncovered.map((event) => gap('no_rule', null, event)),
    ...when(unavailable > 0, 'page_unavailable'),
    ...when(longestScanGapMs > watchedDays * dayMs, 'scan_gap'),
    ...when(inlineNotComparable > 0, 'inline_not_comparable'),
    ...when(unalerted.length > 0, 'not_alerted'),
    ...when(failing > 0, 'destination_failing'),
    ...when(untested > 0, 'destination_untested'),
  ])
  const facts = {
    paymentPages: pages.length,
    watched: watched.length,
    changes: changes.length,
    alerted: alerted(changes),
    acknowledged: changes.length - alerted(changes) - missed(changes).length,
    scriptChanges: scriptChanges.length,
    alertedScriptChanges: alerted(scriptChanges),
    acknowledgedScriptChanges: scriptChanges.length - alerted(scriptChanges) - missed(scriptChanges).length,
    unavailable,
    inlineNotComparable,
    longestScanGapDays: Math.round((longestScanGapMs / dayMs) * 10) / 10,
    destinations: destinations.length,
    failingDestinations: failing,
    untestedDestinations: untested,
  }
  const notMet =
    watched.every((page) => page.unavailable) ||
    uncovered.length === events.length ||
    !destinations.some(({ outcome }) => outcome === 'delivered') ||
    unalerted.some(({ scannedAt }) => isOld(scannedAt, unalertedDays))
  return { id: changesRequirement, status: statusOf(gaps, notMet), facts, gaps } as const
}
