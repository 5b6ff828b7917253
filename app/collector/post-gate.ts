/**
 * @module Decides which posts of a block are still stored: while posts wait, a site can be deleted or a token rotated.
 */

import type { Database } from '../../queries/clickhouse/database.ts'
import { chunksOf } from '../../queries/sql/rows.ts'
import { listPresentSites, listRetiredTokens } from '../../queries/tenants/site-tokens.ts'
import type { PostRecord } from './segment-file.ts'

export type DropReason = 'deleted_site' | 'rotated_token'

export interface Gate {
  readonly wanted: readonly PostRecord[]
  /** Reports by the reason why they are not stored. */
  readonly dropped: ReadonlyMap<DropReason, number>
}

/** Ids in one statement, which are 40 bytes each in its URL. */
const idsAtOnce = 1_000
/** A rotated token is accepted for this time, because collectors cache sites. */
const graceMs = 10_000

/** Read after the block is logged as started: so a deletion waits for the block, or the block lacks the deleted site. */
export async function readGate(
  database: Pick<Database, 'read'>,
  records: readonly PostRecord[],
  signal?: AbortSignal,
): Promise<Gate> {
  const present = new Set<string>()
  const bySite = new Map(records.map((record) => [record.siteId, record.tenantId]))
  for (const some of chunksOf([...bySite], idsAtOnce)) {
    const tenantIds = [...new Set(some.map(([, tenantId]) => tenantId))]
    const siteIds = some.map(([siteId]) => siteId)
    const found = await database.read(listPresentSites(tenantIds, siteIds), { signal })
    for (const { tenantId, siteId } of found) present.add(`${tenantId} ${siteId}`)
  }
  const retired = new Map<string, number>()
  const hashes = [...new Set(records.map(({ tokenHash }) => tokenHash))].filter((tokenHash) => tokenHash !== '')
  for (const some of chunksOf(hashes, idsAtOnce)) {
    const found = await database.read(listRetiredTokens(some), { signal })
    for (const { tokenHash, retiredAt } of found) retired.set(tokenHash, Date.parse(retiredAt))
  }
  const dropped = new Map<DropReason, number>()
  const wanted = records.filter((record) => {
    const reason = reasonOf(record)
    if (reason) dropped.set(reason, (dropped.get(reason) ?? 0) + record.reports)
    return reason === undefined
  })
  return { wanted, dropped }

  function reasonOf({ tenantId, siteId, tokenHash, receivedAt }: PostRecord): DropReason | undefined {
    if (!present.has(`${tenantId} ${siteId}`)) return 'deleted_site'
    const retiredAt = retired.get(tokenHash)
    return retiredAt !== undefined && receivedAt > retiredAt + graceMs ? 'rotated_token' : undefined
  }
}
