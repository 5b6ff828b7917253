import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { ownFolder } from '../../../clickhouse/engine/folder-owner.ts'
import { randomReports } from '../../../fixtures/reports.ts'
import { clockToleranceMs, dayMs } from '../../../schema/durations.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import { cli } from '../../support/cli.ts'
import type { TestKey } from '../../support/tenants.ts'

const reportTypes = ['csp-violation', 'crash', 'deprecation'] as const

let api: TestApi
let tenantId: string
let siteIds: readonly string[]
let key: TestKey
let folder: string
/** Of all reports. */
const ids: string[] = []
const counts = new Map<string, number>()

async function store(count: number, seed: number): Promise<void> {
  const span = { from: new Date(Date.now() - 20 * dayMs), to: new Date(), retentionDays: 365 }
  const rows = randomReports({ ...span, count, seed, tenantId, siteIds, reportTypes: [...reportTypes] })
  await api.insertReports(rows)
  ids.push(...rows.map(({ id }) => id))
  for (const { reportType } of rows) counts.set(reportType, (counts.get(reportType) ?? 0) + 1)
  await sleep(clockToleranceMs + 100)
}

beforeAll(async () => {
  api = await startApi()
  tenantId = await api.createTenant({ plan: 'enterprise' })
  siteIds = await api.createSites(tenantId, 1)
  key = await api.createKey(tenantId)
  folder = mkdtempSync(join(tmpdir(), 'export-'))
  await store(40, 1)
})
afterAll(async () => {
  await api?.close()
  rmSync(folder, { recursive: true })
})

async function run(...args: string[]) {
  const environment = { CLICKHOUSE_URL: inject('servers').writeUrl, API_KEY: key.key }
  const types = reportTypes.flatMap((type) => ['--type', type])
  const { code, stdout, stderr } = await cli(['export', ...args, ...types], { environment })
  return { code, stderr, result: stdout === '' ? undefined : JSON.parse(stdout) }
}
const ofTenant = (to: string, format: string) => run('--tenant', tenantId, '--to', to, '--format', format)

const filesOf = (to: string, ending: string) =>
  readdirSync(to, { encoding: 'utf8', recursive: true })
    .filter((name) => name.endsWith(ending))
    .map((name) => join(to, name))
const idsIn = (to: string) =>
  filesOf(to, '.ndjson')
    .flatMap((path) => readFileSync(path, 'utf8').trimEnd().split('\n'))
    .map((line) => JSON.parse(line).id as string)
    .toSorted()

test('each run writes what was stored since the last, from the database or the API, and a killed run is continued', async () => {
  const to = join(folder, 'lines')
  expect(await ofTenant(to, 'ndjson')).toMatchObject({ code: 0, result: { folder: to, files: 3, reports: 40 } })
  expect(idsIn(to)).toEqual(ids.toSorted())
  expect(
    filesOf(to, '.ndjson').every((path) =>
      /\/(csp-violation|crash|deprecation)\/\d{4}-\d\d-\d\d\/\d\d-00000001\.ndjson$/.test(path),
    ),
  ).toBe(true)
  expect((await ofTenant(to, 'ndjson')).result).toEqual({ folder: to, files: 0, reports: 0 })

  await store(30, 2)
  // Killed while it wrote a file.
  writeFileSync(join(to, 'crash-2.part'), '{"id":')
  expect((await run('--api', api.url, '--to', to, '--format', 'ndjson')).result).toMatchObject({ reports: 30 })
  expect(idsIn(to)).toEqual(ids.toSorted())

  // Killed before it renamed a complete file.
  const last = filesOf(to, '.ndjson').find((path) => path.includes('/crash/') && path.includes('00000002')) ?? ''
  renameSync(last, join(to, 'crash-2.part'))
  expect((await ofTenant(to, 'ndjson')).result).toMatchObject({ reports: 0 })
  expect(idsIn(to)).toEqual(ids.toSorted())
  expect(filesOf(to, '.part')).toEqual([])
})

test('DuckDB reads the Parquet files of all types together', async () => {
  const to = join(folder, 'parquet')
  await ofTenant(to, 'parquet')
  const connection = await (await DuckDBInstance.create()).connect()
  const page = readFileSync(new URL('../../../app/exports.md', import.meta.url), 'utf8')
  const statement = (/^```sql\n(.*?);\n```$/ms.exec(page)?.[1] ?? '').replace('/var/lib/reports', to)
  const read = await connection.runAndReadAll(
    `SELECT reportType, sum(reports)::INT FROM (${statement}) GROUP BY 1 ORDER BY 1`,
  )
  expect(read.getRows()).toEqual([...counts].toSorted())
})

test('another format, another tenant and a second export at once are errors of one line', async () => {
  const to = join(folder, 'other')
  await ofTenant(to, 'csv')
  const format = await ofTenant(to, 'ndjson')
  expect(format).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('has files of the format csv: use --format csv or'),
  })
  const stranger = await run('--tenant', await api.createTenant({ plan: 'team' }), '--to', to, '--format', 'csv')
  expect(stranger).toMatchObject({ code: 2, stderr: expect.stringContaining('after is a cursor of another tenant') })
  const release = await ownFolder(to)
  expect(await ofTenant(to, 'csv')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('another export writes to it'),
  })
  await release()
})
