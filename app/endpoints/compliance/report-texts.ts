/**
 * @module Texts of a report: requirements, gaps with remedies, and limits. `pci verify` compares them, so they never
 * change.
 */

import type { TimeRange } from '../../../queries/rollups/time-range.ts'
import { changesRequirement, type PciGapKind, scriptsRequirement } from '../../../schema/pci.ts'
import type { PciReadiness } from '../../../schema/responses/pci.ts'
import type { PciReport } from '../../../schema/responses/pci-report.ts'
import type { Inventory } from '../scripts/read-inventory.ts'

type Requirement = PciReadiness['requirements'][number]
type Gap = Requirement['gaps'][number]

/** PCI DSS 4.0.1 in our own words. */
const requirements: Readonly<Record<string, readonly [title: string, text: string]>> = {
  [scriptsRequirement]: [
    'Scripts are authorized, whole and listed',
    'Every script that a payment page loads into a buyer’s browser is authorized by somebody, is assured to be the bytes that were authorized, and is in an inventory with a written reason why the page needs it.',
  ],
  [changesRequirement]: [
    'Changes are detected and alerted',
    'A mechanism compares the security headers and the scripts of payment pages, as browsers receive them, with what they were, and alerts people of what was changed, added or removed. It runs at least every seven days, or as often as a risk analysis says.',
  ],
}

const pages = (count: number) => (count === 1 ? '1 payment page' : `${count} payment pages`)

const scripts = (count: number) => (count === 1 ? '1 script' : `${count} scripts`)

const gapTexts: Readonly<Record<PciGapKind, (gap: Gap) => readonly [sentence: string, remedy: string]>> = {
  no_payment_pages: () => [
    'No page is monitored as a payment page.',
    'Add each page with a payment form: "pages add --kind payment".',
  ],
  scripts_not_on_plan: () => [
    'The plan has no payment pages in its inventory of scripts.',
    'Take the Professional plan or a higher one.',
  ],
  inventory_truncated: () => [
    'The site has more scripts than the 1,000 that one read returns.',
    'Decide on the listed scripts, and remove scripts from pages that do not need them.',
  ],
  no_scripts_seen: () => [
    'No script was seen on a payment page.',
    'Send the site’s headers with payment pages, so that browsers report their scripts, or have them scanned.',
  ],
  unreviewed_scripts: ({ count }) => [
    `Nobody decided on ${scripts(count ?? 0)} of payment pages.`,
    'Decide on each: authorize it with a justification, or reject it.',
  ],
  rejected_scripts_running: ({ count }) => [
    `After its rejection a payment page still ran: ${scripts(count ?? 0)}.`,
    'Take it off the page, or block it by the content security policy.',
  ],
  unprotected_scripts: ({ count }) => [
    `Browsers or scans found ${scripts(count ?? 0)} without integrity metadata.`,
    'Add integrity attributes, and then enforce Integrity-Policy.',
  ],
  integrity_unmeasured: ({ count }) => [
    `The integrity of ${scripts(count ?? 0)} is not known.`,
    'Send Integrity-Policy-Report-Only: blocked-destinations=(script) with payment pages.',
  ],
  no_recent_scan: ({ count }) => [
    `${pages(count ?? 0)} without a complete scan in the seven days before.`,
    'Mend what the failed scans name; a plan below Professional does not scan.',
  ],
  no_rule: ({ eventType }) => [
    `No immediate alert rule of the site is about ${eventType}.`,
    'Add an immediate rule for it: "alerts rules add".',
  ],
}

/** Sums that add up. */
function summaryOf({ facts }: Requirement): string {
  if ('scripts' in facts) {
    const { scripts: sum, authorized, unreviewed, rejected, paymentPages } = facts
    return `On ${pages(paymentPages)}: ${authorized} authorized + ${unreviewed} not reviewed + ${rejected} rejected = ${scripts(sum)}.`
  }
  const { watched, paymentPages, changes, alerted } = facts
  return `Watched: ${watched} of ${pages(paymentPages)}. Changes in 30 days: ${alerted} alerted within a day + ${changes - alerted} not = ${changes}.`
}

export function requirementText(requirement: Requirement): PciReport['requirements'][number] {
  const { id, status, facts, gaps } = requirement
  const [title = '', text = ''] = requirements[id] ?? []
  const worded = gaps.map((gap) => {
    const [sentence, remedy] = gapTexts[gap.kind](gap)
    return { ...gap, sentence, remedy }
  })
  return { id, title, text, status, facts, summary: summaryOf(requirement), gaps: worded }
}

interface Limits extends Pick<PciReport, 'evidence' | 'observed'> {
  readonly asOf: Date
  /** Start of the plan's retention at that time. */
  readonly windowFrom: number
  /** The part of it within retention. */
  readonly window: TimeRange
  readonly inventory: Inventory
  readonly history: { readonly startedAt: string } | undefined
}

const day = (time: number) => new Date(time).toISOString().slice(0, 10)

export function limitsOf({ asOf, windowFrom, window, evidence, observed, inventory, history }: Limits): string[] {
  const claimed = observed.scripts.filter(({ seenBy }) => !seenBy.includes('scan')).length
  const started = Date.parse(history?.startedAt ?? '')
  const all: readonly (readonly [applies: boolean, sentence: string])[] = [
    [
      window.from > windowFrom,
      `Browsers’ reports from ${day(windowFrom)} to ${day(window.from)} are out of the plan’s retention now: "observed" and the verdict on ${scriptsRequirement} are without them, and rest on scans and decisions. Integrity that they alone would show is unknown.`,
    ],
    [
      asOf.getTime() < started,
      `Changes of pages, alert rules, the plan and names are kept since ${history?.startedAt}. What was before is as it was found then; a decision, scan, delivery or copy that was imported again before then counts from its last import.`,
    ],
    [
      true,
      'What was being stored at asOf can join for a minute: a hash to keep is of an asOf more than a minute before generatedAt.',
    ],
    [
      true,
      'Reports of browsers count by when they were received, so that "observed" can get those that are imported later. Of a version that browsers reported again later, the last sighting is asOf.',
    ],
    [
      inventory.truncated,
      'The site has more than 1,000 scripts: "observed" has scripts with a decision or in a scan, then the earliest that browsers reported.',
    ],
    [
      claimed > 0,
      `Of the scripts of payment pages browsers alone reported ${claimed}, and no scan: anyone can send such reports, so check them before you act on them.`,
    ],
    [evidence.versionsTruncated, 'Scans found more than 10,000 versions of scripts: "versions" has those seen last.'],
    [true, 'Scans see the scripts of a page’s HTML; what scripts add is known by browsers’ reports alone.'],
  ]
  return all.filter(([applies]) => applies).map(([, sentence]) => sentence)
}
