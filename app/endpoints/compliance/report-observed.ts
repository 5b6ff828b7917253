import type { PciReport } from '../../../schema/responses/pci-report.ts'
import { integrityMethod } from '../../../schema/rules/pci/integrity-method.ts'
import { coverageStates } from '../../../schema/scripts.ts'
import { seenBy, uninventoriedScripts } from '../scripts/read-inventory.ts'
import type { readReadiness } from './read-readiness.ts'

/** The part of the report that depends on browser reports. */
export function observedOf({
  inventory,
  scripts,
  scannedIds,
}: Awaited<ReturnType<typeof readReadiness>>): Omit<PciReport['observed'], 'window'> {
  const inventoried = new Map(inventory.entries.map((entry) => [entry.script.id, entry]))
  const uninventoried = uninventoriedScripts(inventory, true)
  const inState = (state: string) => scripts.filter(({ coverage }) => coverage.state === state).length
  return {
    measured: inventory.reporting,
    integrity: Object.fromEntries(coverageStates.map((state) => [state, inState(state)])) as Record<
      (typeof coverageStates)[number],
      number
    >,
    scripts: scripts.map((script) => {
      const entry = inventoried.get(script.id)
      const { hashes = [], firstSeenAt = null, lastSeenAt = null } = entry?.script ?? {}
      return {
        ...script,
        owner: entry?.decisions.at(-1)?.owner ?? null,
        reviewBy: entry?.decisions.at(-1)?.reviewBy ?? null,
        method: integrityMethod({
          state: script.coverage.state,
          hasIntegrity: entry?.hasIntegrity ?? false,
          isScanned: scannedIds.has(script.id),
        }),
        hashes: hashes.map(({ identity: _, capture: __, ...version }) => version),
        firstSeenAt,
        lastSeenAt,
        seenBy: entry ? seenBy(entry) : [],
      }
    }),
    uninventoriedCount: uninventoried.total,
    uninventoried: uninventoried.listed.map(({ url, lastAt, mode }) => ({ url, lastAt, mode })),
  }
}
