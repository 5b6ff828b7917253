import { listScanFindings } from '../../../queries/scans/list-scan-findings.ts'
import { countUninventoriedScripts } from '../../../queries/scripts/count-uninventoried-scripts.ts'
import { libraryId, listLibraryChecks } from '../../../queries/scripts/list-library-checks.ts'
import { listPaymentActivity } from '../../../queries/scripts/list-payment-activity.ts'
import { listScriptActivity } from '../../../queries/scripts/list-script-activity.ts'
import { listScriptCaptures } from '../../../queries/scripts/list-script-captures.ts'
import { listScriptDecisions } from '../../../queries/scripts/list-script-decisions.ts'
import { listScriptHashes } from '../../../queries/scripts/list-script-hashes.ts'
import { listScriptIdentities } from '../../../queries/scripts/list-script-identities.ts'
import { listScriptViolations } from '../../../queries/scripts/list-script-violations.ts'
import { listScripts } from '../../../queries/scripts/list-scripts.ts'
import type { InventoryFilter } from '../../../queries/scripts/script-inventory.ts'
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
