/** @module Limits of a report. `pci verify` compares their texts, so these never change. */

import { scriptsRequirement } from '../../../schema/pci.ts'
import type { PciReport } from '../../../schema/responses/pci-report.ts'
import type { TimeRange } from '../../../schema/rules/time/time-range.ts'
import type { Inventory } from '../scripts/read-inventory.ts'

interface Limits extends Pick<PciReport, 'evidence' | 'observed'> {
  readonly asOf: Date
  /** Start of the plan's retention at that time. */
  readonly windowFrom: number
  /** The part of it within retention. */
  readonly window: TimeRange
  readonly inventory: Inventory
  /** The plan's scans list scripts. */
  readonly hasScripts: boolean
  readonly history: { readonly startedAt: string } | undefined
}

const day = (time: number) => new Date(time).toISOString().slice(0, 10)

export function limitsOf(given: Limits): string[] {
  const { asOf, windowFrom, window, evidence, observed, inventory, hasScripts, history } = given
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
    [
      !hasScripts,
      'Changes of scripts are not watched: scans list scripts only on plans with script authorization, and no rule for script.changed is required.',
    ],
    [
      true,
      'Scans fetch a page without a login or a cart: content that the server sends only to other visitors is not compared.',
    ],
    [
      true,
      'SAQ A requires that the site is not susceptible to attacks from scripts: the merchant declares it, and this report is evidence for it.',
    ],
    [true, 'Scans see the scripts of a page’s HTML; what scripts add is known by browsers’ reports alone.'],
  ]
  return all.filter(([applies]) => applies).map(([, sentence]) => sentence)
}
