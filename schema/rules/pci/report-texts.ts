/**
 * @module Texts of a report and of the explorer: requirements, and gaps with remedies. `pci verify` compares them, so they
 * never change.
 */

import { changesRequirement, type PciGapKind, scriptsRequirement } from '../../pci.ts'
import type { PciReadiness } from '../../responses/pci.ts'
import type { PciReport } from '../../responses/pci-report.ts'

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
    'Send what "sites headers --types scripts,integrity" prints with payment pages.',
  ],
  unpinned_scripts: () => [
    'A script without integrity metadata is authorized with any content.',
    'Pin its hashes: "scripts authorize" without --any-content.',
  ],
  review_overdue: () => [
    'The review of an authorized script is overdue.',
    'Review the script and run "scripts authorize" with a new --review-by.',
  ],
  no_recent_scan: ({ count }) => [
    `${pages(count ?? 0)} without a complete scan in the seven days before.`,
    'Mend what the failed scans name; a plan below Professional does not scan.',
  ],
  no_rule: ({ eventType }) => [
    `No immediate alert rule of the site is about ${eventType}.`,
    'Add an immediate rule for it: "alerts rules add".',
  ],
  page_unavailable: () => [
    'The latest scan of a payment page got another status than 2xx, or was redirected to another page.',
    'Let SCAN_USER_AGENT through, or import the page with the URL that the redirect leads to: "import pages".',
  ],
  scan_gap: () => [
    'More than seven days passed between two scans of a payment page in the last 30 days.',
    'Run the worker without interruption, and correct what failed scans report.',
  ],
  inline_not_comparable: () => [
    'The inline scripts of a payment page differ in each of its last three scans, so their changes are not alerted.',
    'Serve the same inline scripts to every visitor: move variable data to a block of type application/json.',
  ],
  not_alerted: () => [
    'A change was neither alerted within a day nor acknowledged within seven days.',
    'Correct the destination and run "alerts ack". The requirement is not met from seven days after the change until it is 30 days old.',
  ],
  destination_failing: () => [
    'The latest delivery to a destination of the rules failed.',
    'Correct the destination, then run "destinations test".',
  ],
  destination_untested: () => [
    'A destination of the rules accepted nothing in the last 30 days.',
    'Run "destinations test" every month.',
  ],
}

/** Sums that add up. */
function summaryOf({ facts }: Requirement): string {
  if ('scripts' in facts) {
    const { scripts: sum, authorized, unreviewed, rejected, paymentPages } = facts
    return `On ${pages(paymentPages)}: ${authorized} authorized + ${unreviewed} not reviewed + ${rejected} rejected = ${scripts(sum)}.`
  }
  const { watched, paymentPages, changes, alerted, acknowledged } = facts
  const { scriptChanges, alertedScriptChanges, acknowledgedScriptChanges } = facts
  const missed = [changes - alerted - acknowledged, scriptChanges - alertedScriptChanges - acknowledgedScriptChanges]
  const sums = `Watched: ${watched} of ${pages(paymentPages)}. Changes in 30 days: ${alerted} alerted within a day + ${acknowledged} acknowledged + ${missed[0]} not = ${changes}. Changes of scripts: ${alertedScriptChanges} + ${acknowledgedScriptChanges} + ${missed[1]} not = ${scriptChanges}.`
  const { unavailable, inlineNotComparable, longestScanGapDays } = facts
  const { destinations, failingDestinations, untestedDestinations } = facts
  return `${sums} Unavailable: ${pages(unavailable)}. Inline scripts not comparable: ${pages(inlineNotComparable)}. Longest time between scans: ${longestScanGapDays} days. Destinations: ${destinations}, ${failingDestinations} failing, ${untestedDestinations} without a delivery in 30 days.`
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

/** Counts of scripts on payment pages, and of scripts that the inventory lacks. */
export const integrityTexts = (
  { protected: whole, unprotected, unknown }: PciReport['observed']['integrity'],
  uninventoried: number,
): readonly [sums: string, others: string] => [
  `${whole} protected + ${unprotected} unprotected + ${unknown} unknown = ${whole + unprotected + unknown} scripts.`,
  `Apart from them browsers reported ${uninventoried} unprotected that the inventory lacks.`,
]
