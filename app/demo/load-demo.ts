import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { capturedPosts } from '../../fixtures/captured-posts.ts'
import { demoPosts } from '../../fixtures/demo-posts.ts'
import { type DemoScenario, demoScenarios, shopScenario } from '../../fixtures/demo-scenarios.ts'
import { demoBegan } from '../../fixtures/demo-timeline.ts'
import type { Database } from '../../queries/clickhouse/database.ts'
import { insertRows } from '../../queries/clickhouse/insert-rows.ts'
import { toClickHouseTime } from '../../queries/sql/sql.ts'
import { listTenants } from '../../queries/tenants/tenants.ts'
import { dayMs } from '../../schema/durations.ts'
import { entitlements } from '../../schema/plans.ts'
import { insertKey } from '../api-keys/insert-key.ts'
import { makeKey } from '../api-keys/key-format.ts'
import { makeSiteToken } from '../collector/site-address.ts'
import { importInto } from '../import/reports/import-into.ts'
import { importReports } from '../import/reports/import-reports.ts'
import { withProgress } from '../program/show-progress.ts'
import { importDemoRecords } from './demo-records.ts'

/** Unlike any other key, a demo key is stored as text, in the data folder. */
const demoState = z.object({
  /** End of the demo's 62 days; an interrupted load resumes with the same data. */
  endsAt: z.iso.datetime(),
  loaded: z.boolean(),
  keys: z.array(z.object({ id: z.guid(), tenant: z.string(), key: z.string() })),
})

type DemoState = z.infer<typeof demoState>

export type DemoKey = DemoState['keys'][number]

/** Marks the folder so that its first start loads no demo. */
export const skipDemo = (dataDir: string) => writeState(demoPath(dataDir), { ...newState(), loaded: true, keys: [] })

const demoPath = (dataDir: string) => join(dataDir, 'demo.json')

/** Loads the demo tenants on the first start, unless there are tenants. Returns their keys, the main one first. */
export async function loadDemo(writer: Database, dataDir: string): Promise<readonly DemoKey[]> {
  const file = demoPath(dataDir)
  const stored = await readState(file)
  // Data of another folder, such as a copy without demo.json.
  if (!stored && (await writer.read(listTenants)).length > 0) {
    await skipDemo(dataDir)
    return []
  }
  const state = stored ?? newState()
  if (state.loaded) return state.keys
  await writeState(file, state)
  for (const [index, scenario] of demoScenarios.entries()) {
    await createTenant(writer, scenario, state.keys[index] as DemoKey, new Date(state.endsAt))
    await importPosts(writer, scenario, new Date(state.endsAt))
    await importDemoRecords(writer, scenario.tenant, new Date(state.endsAt))
  }
  await writeState(file, { ...state, loaded: true })
  return state.keys
}

function newState(): DemoState {
  const keys = demoScenarios.map(({ tenant }) => ({ id: crypto.randomUUID(), tenant: tenant.name, key: makeKey() }))
  return { endsAt: new Date().toISOString(), loaded: false, keys }
}

async function readState(file: string): Promise<DemoState | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined)
  return text === undefined ? undefined : demoState.parse(JSON.parse(text))
}

async function writeState(file: string, state: DemoState): Promise<void> {
  await writeFile(`${file}.new`, JSON.stringify(state, null, 2), { mode: 0o600 })
  await rename(`${file}.new`, file)
}

/** As `sites create` makes sites. */
const demoUrls = 'names'

async function createTenant(writer: Database, { tenant }: DemoScenario, { id, key }: DemoKey, now: Date) {
  const began = toClickHouseTime(demoBegan(now))
  const created = { created_at: began, updated_at: began }
  await insertRows(writer, 'tenants', [{ id: tenant.id, name: tenant.name, plan: tenant.plan, ...created }])
  const own = { tenant_id: tenant.id, urls: demoUrls, ...created }
  const sites = tenant.sites.map((site) => ({ ...site, ...own, token: makeSiteToken() }))
  await insertRows(writer, 'sites', sites)
  const expiresAt = new Date(now.getTime() + 365 * dayMs)
  await insertKey(writer, { id, tenantId: tenant.id, name: 'Demo', key, createdAt: now, expiresAt })
}

async function importPosts(writer: Database, scenario: DemoScenario, now: Date): Promise<void> {
  const { tenant } = scenario
  await withProgress(process.stderr, scenario.reports, (update) =>
    importReports({
      ...importInto(writer, tenant.id),
      source: posts(scenario, now),
      sites: tenant.sites.map((site) => ({ ...site, urls: demoUrls })),
      retentionDays: entitlements(tenant.plan, {}).retentionDays,
      importedAt: now,
      onProgress: ({ reports }) => update(reports, `Loading ${tenant.name}: ${reports} reports`),
    }),
  )
}

/** Chunks of 2,000 lines: one line a chunk costs more than parsing it. */
async function* posts(scenario: DemoScenario, now: Date): AsyncGenerator<string> {
  let lines: string[] = []
  if (scenario === shopScenario) for await (const line of capturedPosts({ now })) lines.push(line)
  for (const line of demoPosts({ scenario, now })) {
    lines.push(line)
    if (lines.length < 2_000) continue
    yield `${lines.join('\n')}\n`
    lines = []
  }
  yield `${lines.join('\n')}\n`
}
