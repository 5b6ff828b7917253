import { listScanFindings } from '../../../queries/scans/scan-evidence.ts'
import { listPaymentActivity, listScriptActivity } from '../../../queries/scripts/activity.ts'
import { listScriptCaptures } from '../../../queries/scripts/captures.ts'
import { listScriptDecisions } from '../../../queries/scripts/decisions.ts'
import { libraryId, listLibraryChecks } from '../../../queries/scripts/libraries.ts'
import type { InventoryFilter } from '../../../queries/scripts/script-inventory.ts'
import { listScriptHashes, listScriptIdentities, listScripts } from '../../../queries/scripts/scripts.ts'
import { countUninventoriedScripts, listScriptViolations } from '../../../queries/scripts/violations.ts'
import type { Read } from '../../../queries/sql/query.ts'
import { inventorySize } from '../../../schema/scripts.ts'

interface Extent {
  readonly hashes: boolean
  readonly advisories: boolean
}

export type InventoryRows = Awaited<ReturnType<typeof readInventoryRows>>

/** Reads at most 1,000 scripts, in two rounds because the second needs the rows of the first. */
export async function readInventoryRows(read: Read, filter: InventoryFilter, { hashes, advisories }: Extent) {
  const scanned = filter.hasPaymentPages
  const [scripts, identities, decisions, captures, findings] = await Promise.all([
    read(listScripts(filter)),
    hashes ? read(listScriptIdentities(filter)) : [],
    read(listScriptDecisions(filter)),
    hashes ? read(listScriptCaptures(filter)) : [],
    scanned ? read(listScanFindings(filter)) : [],
  ])
  const truncated = scripts.length > inventorySize
  const returned = scripts.slice(0, inventorySize)
  const urls = returned.map(({ url }) => url)
  const libraries = [...new Set(identities.map(({ identity: { catalog, name } }) => libraryId(catalog, name)))]
  const [activities, reportedHashes, onPayment, violations, uninventoried, checks] = await Promise.all([
    read(listScriptActivity(filter, truncated)),
    hashes ? read(listScriptHashes(filter, truncated)) : [],
    scanned ? read(listPaymentActivity(filter, truncated)) : [],
    read(listScriptViolations(filter, urls, truncated)),
    filter.url === undefined ? read(countUninventoriedScripts(filter, urls, truncated)) : [],
    advisories ? Promise.all(listLibraryChecks(libraries).map(read)) : [],
  ])
  return {
    scripts: returned,
    truncated,
    identities,
    decisions,
    captures,
    findings,
    activities,
    reportedHashes,
    onPayment,
    violations,
    uninventoried,
    checks: checks.flat(),
  }
}
