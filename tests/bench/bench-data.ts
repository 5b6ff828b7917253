import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { insertKey } from '../../app/api-keys/insert-key.ts'
import { makeKey } from '../../app/api-keys/key-format.ts'
import type { Database } from '../../queries/clickhouse/client.ts'
import { insertRows } from '../../queries/clickhouse/insert-rows.ts'
import { toClickHouseTime } from '../../queries/sql/sql.ts'
import { siteIds, sizes, tenantIds } from './generated-values.ts'

const stateShape = z.object({
  /** How many reports there are at the end of each round of loading, ascending. */
  rounds: z.array(z.int()).min(1),
  /** The first report's moment, in milliseconds since the Unix epoch. */
  from: z.number(),
  days: z.number(),
  /** The big tenant's key. */
  key: z.object({ id: z.guid(), key: z.string() }),
  rowsStored: z.int(),
  loadMilliseconds: z.number(),
  rowsMerged: z.int(),
  mergeMilliseconds: z.number(),
  duckDbRows: z.int(),
  duckDbMilliseconds: z.number(),
})

/** What a data folder holds, and how far its loading is. */
export type BenchState = z.infer<typeof stateShape>

/** A data folder and its state. */
export interface BenchFolder {
  readonly path: string
  readonly state: BenchState
  /** Changes the state, on disk too. */
  note(change: Partial<BenchState>): Promise<void>
}

const days = 62

/**
 * Opens a data folder, made where it is missing. One of fewer rows is to have a further round, over the same days, so that
 * one folder serves a size after the other. Throws when it holds more.
 */
export async function openFolder(path: string, rows: number, now: number): Promise<BenchFolder> {
  await mkdir(path, { recursive: true })
  const file = join(path, 'bench.json')
  const kept = await readFile(file, 'utf8').catch(() => undefined)
  const state = kept === undefined ? newState(rows, now) : stateShape.parse(JSON.parse(kept))
  const held = rowsOf(state)
  if (held > rows) {
    throw new Error(`${path} holds ${held} rows, not ${rows}: name another folder with --data, or delete it`)
  }
  if (held < rows) state.rounds.push(rows)
  const write = async () => {
    await writeFile(`${file}.new`, JSON.stringify(state, null, 2), { mode: 0o600 })
    await rename(`${file}.new`, file)
  }
  await write()
  return {
    path,
    state,
    async note(change) {
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
    ...{ rowsStored: 0, loadMilliseconds: 0 },
    ...{ rowsMerged: 0, mergeMilliseconds: 0 },
    ...{ duckDbRows: 0, duckDbMilliseconds: 0 },
  }
}

/** How many reports the folder holds when it is loaded. */
export const rowsOf = ({ rounds }: Pick<BenchState, 'rounds'>): number => rounds.at(-1) ?? 0

/** The tenant that asks: the owner of most rows. */
export const bigTenant = tenantIds[0] as string

/** Its site with the most rows. */
export const biggestSite = siteIds[1] as string

const plenty = { keyLimit: 1_000_000, tenantLimit: 1_000_000 }

/** The big tenant with its sites and its key, and budgets that no measurement spends; the same again does no harm. */
export async function createBigTenant(writer: Database, { key, from }: BenchState): Promise<void> {
  const createdAt = new Date(from)
  const created = { created_at: toClickHouseTime(createdAt) }
  const tenant = { id: bigTenant, name: 'Big', plan: 'enterprise', overrides: JSON.stringify(plenty) }
  await insertRows(writer, 'tenants', [{ ...tenant, ...created }])
  const sites = siteIds.slice(0, sizes.sites).map((id, index) => {
    const host = `site${index + 1}.shop.test`
    return { id, tenant_id: bigTenant, name: `Site ${index + 1}`, hosts: [host], ...created }
  })
  await insertRows(writer, 'sites', sites)
  const expiresAt = new Date(from + 3650 * 86_400_000)
  await insertKey(writer, { ...key, tenantId: bigTenant, name: 'Bench', createdAt, expiresAt })
}
