import { Problem } from '../../schema/problems.ts'
import type { ListedScan, ScanChanges } from '../../schema/responses/scan.ts'
import { type ComparableScan, noChanges, scanChanges } from '../../schema/rules/scans/scan-changes.ts'
import type { Reader } from '../sql/query.ts'
import { listScans, type StoredScan } from './list-scans.ts'
import type { ScanRef } from './scan-history.ts'

/** Scans in the order of `refs`, each with its changes since the last complete scan before it. */
export async function readScans(
  readAll: Reader['readAll'],
  tenantId: string,
  refs: readonly ScanRef[],
): Promise<ListedScan[]> {
  const needed = new Map(refs.flatMap(withCompared).map((ref) => [ref.id, ref]))
  const found = await readAll(listScans(tenantId, [...needed.values()]))
  const scanOf = new Map(found.map((scan) => [scan.id, scan]))
  return refs.map(({ id, consecutiveFailures, comparedId }) => {
    const scan = scanOf.get(id)
    const compared = scanOf.get(comparedId)
    // Another replica can be behind the replica that returned the refs.
    if (!scan || (comparedId !== '' && !compared)) throw new Problem('upstream_unavailable')
    return { ...scan, consecutiveFailures, changes: changesSince(compared, scan) }
  })
}

function withCompared({ pageId, id, scannedAt, comparedId, comparedAt }: ScanRef) {
  const own = { pageId, id, scannedAt }
  return comparedId === '' ? [own] : [own, { pageId, id: comparedId, scannedAt: comparedAt }]
}

function changesSince(before: StoredScan | undefined, scan: StoredScan): ScanChanges {
  const [now, then] = [scan, before].map((either) => either && comparable(either))
  return now ? scanChanges(now, then) : noChanges
}

function comparable({ rubricVersion, grade, headers }: StoredScan): ComparableScan | undefined {
  return grade === null || headers === null ? undefined : { rubricVersion, grade, headers }
}
