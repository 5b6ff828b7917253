/** @module Bytes and tenants of each shard, and the tenants to move if they differ. */

import { z } from 'zod'
import type { Database } from '../../queries/clickhouse/database.ts'
import type { Query } from '../../queries/sql/query.ts'
import { onlyRow, rowCount } from '../../queries/sql/rows.ts'
import { sql } from '../../queries/sql/sql.ts'
import type { Cluster } from './open-cluster.ts'

interface ShardSize {
  readonly number: number
  /** Bytes on the disk of one replica. */
  readonly bytes: number
  readonly tenants: number
}

/** Difference below which the number of tenants decides, because new ones have no bytes yet. */
const equalBytes = 1e9

/** Number of the shard for a new tenant: the shard with the fewest bytes. */
export async function emptiestShard({ client, shards }: Cluster): Promise<number> {
  const rows = await client.read(countTenants)
  const sizes = shards.map(async ({ number, database }) => ({
    number,
    bytes: await readBytes(database),
    tenants: rows.find(({ shard }) => shard === number)?.tenants ?? 0,
  }))
  return chooseShard(await Promise.all(sizes))
}

export function chooseShard(sizes: readonly ShardSize[]): number {
  const least = Math.min(...sizes.map(({ bytes }) => bytes))
  const smallest = sizes.filter(({ bytes }) => bytes - least < equalBytes)
  return smallest.reduce((best, size) => (size.tenants < best.tenants ? size : best)).number
}

const countRow = z.object({ shard: rowCount, tenants: rowCount })

const countTenants: Query<z.infer<typeof countRow>> = {
  name: 'countTenants',
  statement: sql`
    SELECT dictGetOrDefault('tenant_place', 'shard', tuple(id), 1) AS shard, count() AS tenants
    FROM (SELECT DISTINCT id FROM tenants)
    GROUP BY shard`,
  row: countRow,
  pool: 'lookup',
}

const sumBytes: Query<{ bytes: number }> = {
  name: 'sumBytes',
  statement: sql`
    SELECT sum(bytes_on_disk) AS bytes
    FROM system.parts
    WHERE active AND database = currentDatabase()`,
  row: z.object({ bytes: rowCount }),
  pool: 'lookup',
}

const readBytes = async (shard: Database) => onlyRow(await shard.read(sumBytes)).bytes

interface TenantSize {
  readonly id: string
  /** Its share of the shard's, by its reports. */
  readonly bytes: number
}

export interface FilledShard {
  readonly number: number
  readonly bytes: number
  readonly tenants: readonly TenantSize[]
}

const reportsRow = z.object({ id: z.string(), reports: rowCount })

const countReportsByTenant: Query<z.infer<typeof reportsRow>> = {
  name: 'countReportsByTenant',
  statement: sql`
    SELECT tenant_id AS id, toUInt64(sum(report_count)) AS reports
    FROM reports_by_time
    WHERE grain = 'hour'
    GROUP BY tenant_id`,
  row: reportsRow,
  pool: 'maintenance',
}

export const measureShards = ({ shards }: Cluster): Promise<FilledShard[]> =>
  Promise.all(
    shards.map(async ({ number, database }) => {
      const [bytes, tenants] = await Promise.all([readBytes(database), database.read(countReportsByTenant)])
      const all = tenants.reduce((sum, { reports }) => sum + reports, 0)
      return { number, bytes, tenants: tenants.map(({ id, reports }) => ({ id, bytes: (bytes * reports) / all })) }
    }),
  )

export interface PlannedMove extends TenantSize {
  readonly from: number
  readonly to: number
}

/** Above the average; the largest shard is emptied until it has less. */
const tolerance = 0.1

/**
 * Moves that balance the shards, in order, each tenant once; empty if no move helps. A tenant that takes its new shard
 * above the tolerance is moved only if no other tenant fits.
 */
export function planMoves(shards: readonly FilledShard[]): PlannedMove[] {
  const sizes = shards.map(({ number, bytes, tenants }) => ({ number, bytes, tenants: [...tenants] }))
  const average = sizes.reduce((sum, { bytes }) => sum + bytes, 0) / sizes.length
  const moves: PlannedMove[] = []
  for (;;) {
    const inOrder = sizes.toSorted(bySize)
    const [to, from] = [inOrder[0], inOrder.at(-1)]
    if (!from || !to || from.bytes <= average * (1 + tolerance)) return moves
    const gap = from.bytes - to.bytes
    const distance = ({ bytes }: TenantSize) => Math.abs(gap / 2 - bytes)
    const lighter = from.tenants.filter(({ bytes }) => bytes > 0 && bytes < gap)
    const fitting = lighter.filter(({ bytes }) => to.bytes + bytes <= average * (1 + tolerance))
    const candidates = fitting.length > 0 ? fitting : lighter
    const [tenant] = candidates.toSorted((one, other) => distance(one) - distance(other))
    if (!tenant) return moves
    moves.push({ ...tenant, from: from.number, to: to.number })
    from.bytes -= tenant.bytes
    to.bytes += tenant.bytes
    // Not added to its new shard, so that it is moved only once.
    from.tenants.splice(from.tenants.indexOf(tenant), 1)
  }
}

const bySize = (one: { readonly bytes: number }, other: { readonly bytes: number }) => one.bytes - other.bytes
