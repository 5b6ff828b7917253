/** @module The data folder of the benchmarks, its state on disk, and the tenant that owns most of its rows. */

import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { insertKey } from '../../app/api-keys/insert-key.ts'
import { makeKey } from '../../app/api-keys/key-format.ts'
import type { Database } from '../../queries/clickhouse/database.ts'
import { insertRows } from '../../queries/clickhouse/insert-rows.ts'
import { toClickHouseTime } from '../../queries/sql/sql.ts'
import { siteIds, sizes, tenantIds } from './generated-values.ts'

const stateSchema = z.object({
  /** Cumulative reports at the end of each round of loading, ascending. */
  rounds: z.array(z.int()).min(1),
  /** Time of the first report, in milliseconds since the Unix epoch. */
  from: z.number(),
  days: z.number(),
  key: z.object({ id: z.guid(), key: z.string() }),
  rowsStored: z.int(),
  loadMs: z.number(),
  rowsMerged: z.int(),
  mergeMs: z.number(),
  duckDbRows: z.int(),
  duckDbMs: z.number(),
})

export type BenchState = z.infer<typeof stateSchema>

export interface BenchFolder {
  readonly path: string
  readonly state: BenchState
  /** Changes the state, on disk too. */
  update(change: Partial<BenchState>): Promise<void>
}

const days = 62

/** Creates a missing folder; adds a round, over the same days, to one with fewer rows. Throws on one with more. */
export async function openFolder(path: string, rows: number, now: number): Promise<BenchFolder> {
  await mkdir(path, { recursive: true })
  const file = join(path, 'bench.json')
  const existing = await readFile(file, 'utf8').catch(() => undefined)
  const state = existing === undefined ? newState(rows, now) : stateSchema.parse(JSON.parse(existing))
  const loaded = totalRows(state)
  if (loaded > rows) {
    throw new Error(`${path} holds ${loaded} rows, not ${rows}: name another folder with --data, or delete it`)
  }
  if (loaded < rows) state.rounds.push(rows)
  const write = async () => {
    await writeFile(`${file}.new`, JSON.stringify(state, null, 2), { mode: 0o600 })
    await rename(`${file}.new`, file)
  }
  await write()
  return {
    path,
    state,
    async update(change) {
      Object.assign(state, change)
      await write()
    },
  }
}

function newState(rows: number, now: number): BenchState {
  return {
    rounds: [rows],
    from: now - days * 86_400_000,
    days,
    key: { id: crypto.randomUUID(), key: makeKey() },
    rowsStored: 0,
    loadMs: 0,
    rowsMerged: 0,
    mergeMs: 0,
    duckDbRows: 0,
    duckDbMs: 0,
  }
}

export const totalRows = ({ rounds }: Pick<BenchState, 'rounds'>): number => rounds.at(-1) ?? 0

/** Tenant of most rows; all queries are its own. */
export const bigTenant = tenantIds[0] as string

export const biggestSite = siteIds[1] as string

const unlimitedBudgets = { keyLimit: 1_000_000, tenantLimit: 1_000_000 }

/** Idempotent. Its budgets are too large for a benchmark to spend. */
export async function createBigTenant(writer: Database, { key, from }: BenchState): Promise<void> {
  const createdAt = new Date(from)
  const created = { created_at: toClickHouseTime(createdAt) }
  const tenant = { id: bigTenant, name: 'Big', plan: 'enterprise', overrides: JSON.stringify(unlimitedBudgets) }
  await insertRows(writer, 'tenants', [{ ...tenant, ...created }])
  const sites = siteIds.slice(0, sizes.sites).map((id, index) => {
    const host = `site${index + 1}.shop.test`
    return { id, tenant_id: bigTenant, name: `Site ${index + 1}`, hosts: [host], ...created }
  })
  await insertRows(writer, 'sites', sites)
  const expiresAt = new Date(from + 3650 * 86_400_000)
  await insertKey(writer, { ...key, tenantId: bigTenant, name: 'Bench', createdAt, expiresAt })
}
