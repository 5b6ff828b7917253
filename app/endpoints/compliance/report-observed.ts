import type { PciReport } from '../../../schema/responses/pci-report.ts'
import { coverageStates } from '../../../schema/scripts.ts'
import { uninventoriedScripts } from '../scripts/read-inventory.ts'
import type { readReadiness } from './read-readiness.ts'

/** What rests on browsers' reports. */
export function observedOf({
  inventory,
  scripts,
}: Awaited<ReturnType<typeof readReadiness>>): Omit<PciReport['observed'], 'window'> {
  const inventoried = new Map(inventory.entries.map(({ script }) => [script.id, script]))
  const uninventoried = uninventoriedScripts(inventory, true)
  const inState = (state: string) => scripts.filter(({ coverage }) => coverage.state === state).length
  return {
    measured: inventory.reporting,
    integrity: Object.fromEntries(coverageStates.map((state) => [state, inState(state)])) as Record<
      (typeof coverageStates)[number],
      number
    >,
    scripts: scripts.map((script) => {
      const { hashes = [], firstSeenAt = null, lastSeenAt = null } = inventoried.get(script.id) ?? {}
      return {
        ...script,
        hashes: hashes.map(({ identity: _, capture: __, ...version }) => version),
        firstSeenAt,
        lastSeenAt,
      }
    }),
    uninventoriedCount: uninventoried.total,
    uninventoried: uninventoried.listed.map(({ url, lastAt, mode }) => ({ url, lastAt, mode })),
  }
}
