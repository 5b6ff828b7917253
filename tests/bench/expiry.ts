/** @module Expiry beside intake: processor time and bytes of the merges that remove expired rows, by how many days they remove. */

import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { reportInsertSettings } from '../../app/import/reports/clickhouse-report-writer.ts'
import { startEngine } from '../../clickhouse/engine/start-engine.ts'
import { migrate } from '../../clickhouse/migrate.ts'
import { listRollups, rawTable } from '../../clickhouse/rollups/list-rollups.ts'
import { connect } from '../../queries/clickhouse/client.ts'
import type { Database } from '../../queries/clickhouse/database.ts'
import type { Query } from '../../queries/sql/query.ts'
import { at, sql } from '../../queries/sql/sql.ts'
import { dayMs } from '../../schema/durations.ts'
import { plans, retentionStart } from '../../schema/plans.ts'
import { integerOption } from './bench-options.ts'
import { type Cleanup, createCleanup } from './cleanup.ts'
import { waitForMerges } from './engine-load.ts'
import { generatedColumns, generatedReports } from './generated-reports.ts'
import { measuringCommand, runCommand } from './run-command.ts'
import { cpuOf } from './watch-process.ts'

const retentions = Object.values(plans).map(({ retentionDays }) => retentionDays)
const columns = generatedColumns.join(', ')
/** Reports of a block of the collector's at 10 posts a second, one report each: it inserts every 3.6 s. */
const trickleRows = 36

const expiry = measuringCommand('npm run bench:expiry --', {
  about: 'Measure the merges that remove expired reports, beside the intake of a day.',
  notes: [
    `Plans of ${retentions.join(', ')} days have as many reports a day each, from the start of their retention, and each table one part a month.`,
    'Then 1, 7 and 14 days of them expire at once, as with a TTL merge a day, a restart a week, and a TTL merge in 14 days.',
  ],
  examples: ['--per-day 10000'],
})
  .addOption(integerOption('--per-day <N>', [100, 1_000_000], 10_000, 'Reports a day of each plan'))
  .action(async ({ perDay }) => {
    const cleanup = createCleanup()
    try {
      await measure(perDay, cleanup)
    } finally {
      await cleanup.run()
    }
  })

/** Settings of an engine that logs its merges, whose writer can read the log and stop TTL merges. */
function loggingConfig(folder: string): string {
  for (const file of ['server/users.xml', 'server/users.d', 'engine/config.xml']) {
    const source = fileURLToPath(new URL(`../../clickhouse/${file}`, import.meta.url))
    cpSync(source, join(folder, basename(file)), { recursive: true })
  }
  const edit = (path: string, before: string, after: string) =>
    writeFileSync(path, readFileSync(path, 'utf8').replace(before, after))
  const grants = ['SELECT ON system.part_log', 'SYSTEM TTL MERGES ON default.*']
  const added = grants.map((grant) => `<query>GRANT ${grant}</query>`).join('')
  edit(join(folder, 'users.xml'), '<query>GRANT SELECT ON system.events</query>', `${added}$&`)
  const config = join(folder, 'config.xml')
  const engine = '<engine>ENGINE = Memory</engine><flush_interval_milliseconds>1000</flush_interval_milliseconds>'
  edit(config, '<query_log>', `<part_log><database>system</database><table>part_log</table>${engine}</part_log>$&`)
  edit(config, '../server/', '')
  return config
}

async function measure(perDay: number, cleanup: Cleanup): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-expiry-'))
  cleanup.defer(async () => rmSync(folder, { recursive: true }))
  const options = { dataDir: join(folder, 'data'), port: 0, configFile: loggingConfig(join(folder, 'settings')) }
  let engine = await startEngine(options)
  let writer = connect(engine.userUrls.writer)
  cleanup.defer(() => engine.stop())
  cleanup.defer(() => writer.close())
  await migrate(writer)
  const tables = [rawTable, ...(await listRollups(writer)).map(({ table }) => table)]
  const each = async (statement: (table: string) => string) => {
    for (const table of tables) await writer.command(statement(table), { settings: { mutations_sync: '2' } })
  }
  const ttlMerges = (verb: 'STOP' | 'START') => each((table) => `SYSTEM ${verb} TTL MERGES ${table}`)
  const today = retentionStart(0, new Date()).getTime()
  let loaded = 0

  /** Expired reports of as many days of each plan, and with `live` those of its retention; then each table has one part a month. */
  async function load(days: number, live: boolean): Promise<void> {
    for (const [plan, retentionDays] of retentions.entries()) {
      const until = live ? today : today - retentionDays * dayMs
      const length = live ? retentionDays + days : days
      const rows = perDay * length
      const from = until - length * dayMs
      const reports = generatedReports({ from, days: length, rounds: [] }, blockOf(loaded, rows))
      const values = `toUUID('be4c0000-0000-4000-8000-90000000000${plan}') AS tenant_id, toUInt16(${retentionDays}) AS retention_days`
      await writer.command(`INSERT INTO reports (${columns}) SELECT * REPLACE (${values}) FROM (${reports})`, {
        settings: { ...reportInsertSettings, max_block_size: '1000000' },
      })
      loaded += rows
    }
    await each((table) => `OPTIMIZE TABLE ${table} FINAL`)
  }

  /** Processor seconds of a day's reports of all plans in blocks of as many rows, merges included. */
  async function intake(rows: number): Promise<void> {
    const count = perDay * retentions.length
    const reports = generatedReports({ from: today, days: 1, rounds: [] }, blockOf(loaded, count))
    loaded += count
    const plan = `cityHash64(id) % ${retentions.length}`
    const values = `toUUID(concat('be4c0000-0000-4000-8000-90000000000', toString(${plan}))) AS tenant_id, [${retentions}][1 + ${plan}] AS retention_days`
    await writer.command(`CREATE TABLE day ENGINE = MergeTree ORDER BY received_at SETTINGS index_granularity = 64
      AS SELECT * REPLACE (${values}) FROM (${reports})`)
    const blocks = Math.ceil(count / rows)
    const startOf = (block: number) =>
      `fromUnixTimestamp64Milli(${Math.round(today + (block / blocks) * dayMs)}, 'UTC')`
    const before = cpuOf(engine.pid() ?? 0)
    for (let block = 0; block < blocks; block++) {
      const where = `received_at >= ${startOf(block)} AND received_at < ${startOf(block + 1)}`
      await writer.command(`INSERT INTO reports (${columns}) SELECT ${columns} FROM day WHERE ${where}`, {
        settings: reportInsertSettings,
      })
    }
    await quiet(writer)
    const seconds = ((cpuOf(engine.pid() ?? 0) - before) / 1000).toFixed(1)
    print(`intake of ${count} reports in ${blocks} blocks`, `${seconds} s`)
    await writer.command('DROP TABLE day SYNC')
  }

  /** Prints the merges that were logged since a moment, or since the engine started. */
  async function merges(what: string, since: number): Promise<void> {
    await quiet(writer)
    const found = await writer.read(listMerges(since))
    for (const { reason, merges, cpuMs, rows, bytes } of found) {
      const [seconds, millions, megabytes] = [cpuMs / 1e3, rows / 1e6, bytes / 1e6].map((value) => value.toFixed(1))
      print(`${what}: ${reason}`, `${seconds} s, ${merges} merges, ${millions} M rows read, ${megabytes} MB written`)
    }
    if (found.length === 0) print(what, 'no merge')
  }

  async function restart(): Promise<void> {
    await writer.close()
    await engine.stop()
    engine = await startEngine(options)
    writer = connect(engine.userUrls.writer)
  }

  await ttlMerges('STOP')
  await load(1, true)
  for (const rows of [5_000, trickleRows]) await intake(rows)
  let started = Date.now()
  await ttlMerges('START')
  await merges('expiry of 1 day', started)
  for (const days of [7, 14]) {
    await ttlMerges('STOP')
    await load(days, false)
    started = Date.now()
    await ttlMerges('START')
    await merges(`expiry of ${days} days, before a restart`, started)
    await restart()
    await merges(`expiry of ${days} days, after a restart`, 0)
  }
}

const blockOf = (first: number, rows: number) => ({ first, end: first + rows, round: [first, first + rows] as const })
const quiet = (writer: Database) => waitForMerges(writer, () => {})
const print = (what: string, measured: string) => process.stdout.write(`${what.padEnd(60)} ${measured}\n`)

const mergesRow = z.object({
  reason: z.string(),
  merges: z.number(),
  cpuMs: z.number(),
  rows: z.number(),
  bytes: z.number(),
})

const listMerges = (since: number): Query<z.infer<typeof mergesRow>> => ({
  name: 'listMerges',
  statement: sql`
    SELECT toString(merge_reason) AS reason, toFloat64(count()) AS merges,
      sum(ProfileEvents['UserTimeMicroseconds'] + ProfileEvents['SystemTimeMicroseconds']) / 1000 AS cpuMs,
      toFloat64(sum(read_rows)) AS rows, toFloat64(sum(size_in_bytes)) AS bytes
    FROM system.part_log
    WHERE event_type = 'MergeParts' AND event_time_microseconds >= ${at(new Date(since))}
    GROUP BY reason`,
  row: mergesRow,
  pool: 'maintenance',
})

await runCommand(expiry)
