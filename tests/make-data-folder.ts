/**
 * @module `npm run data-folder`: the data folder of this version, for tests of later ones. A version's folder is made once,
 * when it is released: the test of all folders reads the numbers beside it.
 */

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeSiteToken } from '../app/collector/site-address.ts'
import { importDemoRecords } from '../app/demo/demo-records.ts'
import { retireTokens } from '../app/tenants/retire-tokens.ts'
import { startEngine } from '../clickhouse/engine/start-engine.ts'
import { migrate } from '../clickhouse/migrate.ts'
import { demoTenant, otherTenant } from '../fixtures/demo-tenants.ts'
import { randomReports } from '../fixtures/reports.ts'
import packageJson from '../package.json' with { type: 'json' }
import type { Database } from '../queries/clickhouse/database.ts'
import { insertRows } from '../queries/clickhouse/insert-rows.ts'
import { sql, toClickHouseTime, uuid } from '../queries/sql/sql.ts'
import { dayMs } from '../schema/durations.ts'
import { plans } from '../schema/plans.ts'
import type { StoredReport } from '../schema/stored-report.ts'
import { type DataFolderContents, dataFolders } from './support/data-folder.ts'
import { numbersOf } from './support/data-folder-numbers.ts'
import { queryRows } from './support/database.ts'
import { connectPatiently } from './support/patience.ts'
import { createTenantWriter } from './support/tenants.ts'

const now = Date.UTC(2026, 10, 26)
/** Of the stored rows: they expire in 2103. A DateTime, which the TTL computes with, ends in 2106. */
const retentionDays = 28_000
const keyExpiresAt = new Date(Date.UTC(2100, 0))
const tenants = [demoTenant, otherTenant]
const maxBytes = 3_000_000

function makeReports({ id, sites }: (typeof tenants)[number], seed: number): StoredReport[] {
  const siteIds = sites.slice(0, 3).map((site) => site.id)
  const span = { from: new Date(now - 62 * dayMs), to: new Date(now) }
  return randomReports({ seed, count: 600, tenantId: id, siteIds, ...span, retentionDays })
}

/** Rows in every table of the database. Returns the contents without their rows. */
async function fill(writer: Database): Promise<Omit<DataFolderContents, 'rows'>> {
  const store = createTenantWriter(writer)
  const created = { created_at: toClickHouseTime(new Date(now)) }
  for (const { id, name, plan, sites } of tenants) {
    await insertRows(writer, 'tenants', [{ id, name, plan, ...created }])
    const rows = sites.map((site) => ({ ...site, tenant_id: id, token: makeSiteToken(), ...created }))
    await insertRows(writer, 'sites', rows)
    await insertRows(writer, 'import_leases', [{ tenant_id: id, generation: 1, released: true }])
  }
  await retireTokens(writer, sql`tenant_id = ${uuid(otherTenant.id)}`)
  const reports = makeReports(demoTenant, 1)
  await store.insertReports([...reports, ...makeReports(otherTenant, 2)])
  await importDemoRecords(writer, demoTenant, new Date(now))
  const { key } = await store.createKey(demoTenant.id, { expiresAt: keyExpiresAt })
  const windows = [31, 62].map((days) => ({ from: now - days * dayMs, to: now - (days - 31) * dayMs }))
  const retentionFrom = now - plans[demoTenant.plan].retentionDays * dayMs
  return { now: new Date(now).toISOString(), key, ...numbersOf(reports, windows, retentionFrom) }
}

/** Throws if a table has none, as later migrations must be tried on each. Rollups merge, so that FINAL counts them. */
async function countRows(writer: Database): Promise<Record<string, number>> {
  const tables = await queryRows(
    writer,
    `SELECT name FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree'
     AND name != 'migration_steps' ORDER BY name`,
  )
  const counts: Record<string, number> = {}
  for (const table of tables.flat().map(String)) {
    await writer.command(`OPTIMIZE TABLE ${table} FINAL`)
    const [[count] = []] = await queryRows(writer, `SELECT count() FROM ${table}`)
    if (count === 0) throw new Error(`${table} has no rows`)
    counts[table] = Number(count)
  }
  return counts
}

/** Resolves when no table has parts that a merge replaced, which would double the archive. */
async function untilMergedPartsAreGone(writer: Database): Promise<void> {
  const inactive = 'SELECT count() FROM system.parts WHERE database = currentDatabase() AND NOT active'
  while (Number((await queryRows(writer, inactive))[0]?.[0]) > 0) await sleep(1_000)
}

async function make(): Promise<string> {
  const dataDir = mkdtempSync(join(tmpdir(), 'make-data-folder-'))
  const engine = await startEngine({ dataDir, port: 0 })
  const writer = connectPatiently(engine.userUrls.writer)
  try {
    await migrate(writer)
    const contents = { ...(await fill(writer)), rows: await countRows(writer) }
    await untilMergedPartsAreGone(writer)
    await writer.close()
    await engine.stop()
    const path = join(dataFolders, packageJson.version)
    // Passwords, socket and log belong to the process that made them.
    execFileSync('tar', ['--create', '--gzip', '--file', `${path}.tar.gz`, '--directory', dataDir, 'clickhouse'])
    writeFileSync(`${path}.json`, `${JSON.stringify(contents, null, 1)}\n`)
    const bytes = statSync(`${path}.tar.gz`).size + statSync(`${path}.json`).size
    if (bytes > maxBytes) throw new Error(`${path} has ${bytes} bytes, more than ${maxBytes}`)
    return `${path}.tar.gz and .json, ${bytes} bytes`
  } finally {
    await engine.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

process.stdout.write(`${await make()}\n`)
