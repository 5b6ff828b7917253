/** @module Differences between a report file and the database, except for the evidence, which has a hash. */

import { scriptsRequirement } from '../../pci.ts'
import type { PciReport } from '../../responses/pci-report.ts'
import { isSameJson } from './evidence-hash.ts'

/** Parts that change with browser reports that arrive later or that retention deletes. */
export const ofReports: readonly string[] = [`requirement ${scriptsRequirement}`, 'observed', 'limits']

/** True if retention has removed reports since the file was written, so that dependent parts differ. */
export function isPastRetention(report: Members, stored: PciReport): boolean {
  const observed = (report.observed ?? {}) as { readonly window?: { readonly from?: unknown } }
  return Date.parse(stored.observed.window.from) > Date.parse(String(observed.window?.from))
}

type Members = Readonly<Record<string, unknown>>

/** Members other than evidence that differ, each requirement separately. */
export function differingParts(report: Members, stored: PciReport): string[] {
  const [found, expected] = [partsOf(report), partsOf({ ...stored })]
  const differing = [...new Set([...found.keys(), ...expected.keys()])].filter(
    (part) => !isSameJson(found.get(part), expected.get(part)),
  )
  const generated = typeof report.generatedAt === 'string' ? Date.parse(report.generatedAt) : Number.NaN
  const isTime = generated >= Date.parse(stored.evidence.asOf) && generated <= Date.parse(stored.generatedAt)
  return isTime ? differing : [...differing, 'generatedAt']
}

function partsOf({ generatedAt: _, evidence: __, requirements, ...parts }: Members): Map<string, unknown> {
  const list: readonly { readonly id?: unknown }[] = Array.isArray(requirements) ? requirements : []
  return new Map([
    ...Object.entries(parts),
    ['requirements', list.map((requirement) => requirement?.id ?? null)],
    ...list.map((requirement): [string, unknown] => [`requirement ${requirement?.id}`, requirement]),
  ])
}
