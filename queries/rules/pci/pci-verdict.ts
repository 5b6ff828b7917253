import {
  changesRequirement,
  type PciGapKind,
  type PciStatus,
  pciGapKinds,
  scriptsRequirement,
  watchedEvents,
} from '../../../schema/pci.ts'

/** What the verdict on requirement 6.4.3 follows from: the scripts reported from the site's payment pages. */
export interface ScriptEvidence {
  readonly paymentPages: number
  /** The plan reads the scripts of payment pages, or a decision on record lets a downgraded tenant read them. */
  readonly onPlan: boolean
  /** The site has more scripts than one read returns. */
  readonly truncated: boolean
  readonly scripts: readonly {
    readonly status: 'unreviewed' | 'authorized' | 'rejected'
    readonly coverage: 'protected' | 'unprotected' | 'unknown'
    /** Rejected, and reported on a payment page since. */
    readonly stillRunning: boolean
  }[]
  /** Scripts that browsers reported without integrity metadata and the inventory does not hold. */
  readonly uninventoriedUnprotected: number
  /** The site reports integrity violations. */
  readonly measured: boolean
}

/** What the verdict on requirement 11.6.1 follows from. */
export interface ChangeEvidence {
  readonly pages: readonly {
    /** The last complete scan is under 7 days old. */
    readonly recentScan: boolean
    /** The plan scans payment pages, and the last complete scan is recent. */
    readonly watched: boolean
  }[]
  readonly changes: readonly { readonly alerted: boolean }[]
  /** Event types that an immediate alert rule of the site covers. */
  readonly alertedEvents: readonly string[]
}

/** One thing that keeps a requirement from being met (contract, PCI readiness). */
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

/** A gap that stands for a number of things, where there are any. */
const counted = (kind: PciGapKind, count: number): PciGap[] => (count > 0 ? [gap(kind, count)] : [])

/** Kinds that alone make a requirement not met (decisions, PCI). */
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

/**
 * Requirement 6.4.3. Not met: no payment page, scripts not on the plan, no script seen, a rejected script still running,
 * or every script unreviewed. Partly met: any other gap.
 */
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
  const gaps = inOrder(scriptGaps(evidence, facts))
  const allUnreviewed = facts.scripts > 0 && facts.unreviewed === facts.scripts
  return { id: scriptsRequirement, status: statusOf(gaps, allUnreviewed), facts, gaps } as const
}

interface ScriptCounts {
  readonly scripts: number
  readonly unreviewed: number
  readonly integrity: { readonly unprotected: number; readonly unknown: number }
}

/** Without payment pages, or without the plan, there are no scripts to say more about. */
function scriptGaps(evidence: ScriptEvidence, { scripts, unreviewed, integrity }: ScriptCounts): PciGap[] {
  if (evidence.paymentPages === 0) return [gap('no_payment_pages')]
  if (!evidence.onPlan) return [gap('scripts_not_on_plan')]
  return [
    ...(evidence.truncated ? [gap('inventory_truncated')] : []),
    ...(scripts === 0 ? [gap('no_scripts_seen')] : []),
    ...counted('unreviewed_scripts', unreviewed),
    ...counted('rejected_scripts_running', evidence.scripts.filter(({ stillRunning }) => stillRunning).length),
    ...counted('unprotected_scripts', integrity.unprotected),
    ...counted('integrity_unmeasured', integrity.unknown),
  ]
}

/**
 * Requirement 11.6.1. Not met: no payment page, none watched, or no rule for any event. Partly met: any other gap.
 */
export function judgeChanges({ pages, changes, alertedEvents }: ChangeEvidence) {
  const watched = pages.filter((page) => page.watched).length
  const uncovered = watchedEvents.filter((event) => !alertedEvents.includes(event))
  const gaps = inOrder([
    ...(pages.length === 0 ? [gap('no_payment_pages')] : []),
    ...counted('no_recent_scan', pages.filter(({ recentScan }) => !recentScan).length),
    ...uncovered.map((event) => gap('no_rule', null, event)),
  ])
  const facts = {
    paymentPages: pages.length,
    watched,
    changes: changes.length,
    alerted: changes.filter(({ alerted }) => alerted).length,
  }
  const notMet = watched === 0 || uncovered.length === watchedEvents.length
  return { id: changesRequirement, status: statusOf(gaps, notMet), facts, gaps } as const
}
