import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { logImportSteps } from '../../../clickhouse/log-import-steps.ts'
import { randomReports } from '../../../fixtures/reports.ts'
import type { Database } from '../../../queries/clickhouse/database.ts'
import { clockToleranceMs, dayMs } from '../../../schema/durations.ts'
import { byText } from '../../../schema/rules/by-text.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import { ensureInstalled } from '../../support/ensure-installed.ts'
import { connectPatiently } from '../../support/patience.ts'
import type { TestKey } from '../../support/tenants.ts'

let api: TestApi
let writer: Database
let tenantId: string
let siteIds: readonly string[]
let key: TestKey
let other: TestKey
/** In the order of storing. */
let ids: readonly string[]
const from = new Date(Date.now() - 20 * dayMs)

const draw = (count: number, seed: number) =>
  randomReports({
    from,
    to: new Date(),
    retentionDays: 365,
    seed,
    tenantId,
    siteIds,
    count,
    reportTypes: ['csp-violation'],
  })
const storable = () => sleep(clockToleranceMs + 100)

beforeAll(async () => {
  api = await startApi()
  writer = connectPatiently(inject('servers').writeUrl)
  const overrides = { retentionDays: 40, keyLimit: 1_000_000, tenantLimit: 1_000_000 }
  tenantId = await api.createTenant({ overrides })
  siteIds = await api.createSites(tenantId, 2)
  key = await api.createKey(tenantId)
  other = await api.createKey(await api.createTenant({ overrides }))
  const inserts = [draw(20, 1), draw(20, 2)]
  for (const rows of inserts) await api.insertReports(rows)
  ids = inserts.flatMap((rows) => rows.toSorted((a, b) => byText(a.id, b.id)).map(({ id }) => id))
  await storable()
})
afterAll(() => Promise.all([api?.close(), writer?.close()]))

const request = (query: Readonly<Record<string, string>>, as = key) =>
  api.get(`/v1/reports/export?${new URLSearchParams(query)}`, { key: as })

async function pull(query: Readonly<Record<string, string>>) {
  const { status, headers, text } = await request({ order: 'stored', fields: 'id', ...query })
  expect(status).toBe(200)
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  const { end } = lines.pop()
  expect(end).toEqual({ reports: lines.length, next: headers.get('Next-Cursor') })
  expect(headers.get('Export-Report-Count')).toBe(String(lines.length))
  return { ids: lines.map(({ id }) => id as string), next: end.next as string, link: headers.get('Link') }
}

test.each(['7', '20', '1000000', undefined])('exports of %s reports have every report once', async (limit) => {
  const found: string[] = []
  let query: Record<string, string> = { from: from.toISOString(), ...(limit && { limit }) }
  for (;;) {
    const { ids, next, link } = await pull(query)
    const { from: _, ...rest } = query
    query = { ...rest, after: next }
    expect(link).toBe(
      `</v1/reports/export?${new URLSearchParams({ order: 'stored', fields: 'id', ...query })}>; rel="next"`,
    )
    if (ids.length === 0) break
    found.push(...ids)
  }
  expect(found).toEqual(ids)
})

test('an export without new reports has the same cursor', async () => {
  const { next } = await pull({ last: '1m' })
  expect(await pull({ after: next })).toMatchObject({ ids: [], next })
})

test('CSV and Parquet have the cursor in their headers', async () => {
  const start = { order: 'stored', from: from.toISOString(), fields: 'id' }
  const csv = await request({ ...start, format: 'csv', limit: '15' })
  const after = csv.headers.get('Next-Cursor') ?? ''
  const rest = await request({ order: 'stored', fields: 'id', format: 'csv', after })
  const cells = [csv, rest].flatMap(({ text }) => text.trimEnd().split('\n').slice(1))
  expect(cells).toEqual(ids.map((id) => `"${id}"`))
  const parquet = await request({ ...start, format: 'parquet' })
  const empty = await request({ order: 'stored', format: 'parquet', after: parquet.headers.get('Next-Cursor') ?? '' })
  expect([empty.status, empty.headers.get('Export-Report-Count')]).toEqual([200, '0'])
  expect(empty.text.startsWith('PAR1')).toBe(true)
})

test('a block that is being stored holds back its reports and later ones, and a filter applies', async () => {
  const { next } = await pull({ last: '31d', siteId: siteIds[0] as string })
  const logSteps = logImportSteps(writer)
  await logSteps([tenantId], 'collector x', 'started')
  const late = draw(10, 3)
  await api.insertReports(late)
  await storable()
  const query = { siteId: siteIds[0] as string, after: next }
  expect(await pull(query)).toMatchObject({ ids: [], next })
  await logSteps([tenantId], 'collector x', 'done')
  const ofSite = late.filter(({ siteId }) => siteId === siteIds[0]).map(({ id }) => id)
  expect((await pull(query)).ids).toEqual(ofSite.toSorted(byText))
})

test('a cursor of another request, and parameters that do not go together, are 400 with their names', async () => {
  const { next: after } = await pull({ last: '7d', 'directive.contains': 'src' })
  const own = { order: 'stored', after, 'directive.contains': 'src' }
  const cases: [Record<string, string>, string][] = [
    [{ ...own, reportType: 'integrity-violation', 'directive.contains': '' }, 'directive.contains'],
    [{ order: 'stored', after, reportType: 'crash' }, 'another reportType and other filters'],
    [{ ...own, 'directive.contains': 'img' }, 'after is a cursor of other filters'],
    [{ ...own, format: 'csv' }, 'after is a cursor of another format'],
    [{ ...own, after: 'WzFd' }, 'after is not a cursor of this export'],
    [{ ...own, to: '2026-01-01T00:00:00Z' }, 'to cannot be combined with order=stored'],
    [{ ...own, from: from.toISOString() }, 'from cannot be combined with after'],
    [{ ...own, last: '1d' }, 'last cannot be combined with after'],
    [{ after }, 'after requires order=stored'],
    [{ limit: '1' }, 'limit requires order=stored'],
    [{ order: 'stored', limit: '1000001' }, 'limit must be an integer from 1 to 1000000'],
  ]
  for (const [query, message] of cases) {
    const { status, text } = await request(query)
    expect([status, text], JSON.stringify(query)).toEqual([400, expect.stringContaining(message)])
  }
  const foreign = await request(own, other)
  expect([foreign.status, foreign.text]).toEqual([400, expect.stringContaining('another tenant')])
})

test('the script of exports.md has every report once, also after an incomplete run', async () => {
  ensureInstalled('jq')
  const page = readFileSync(new URL('../../../app/exports.md', import.meta.url), 'utf8')
  const script = /^```sh\n(.*?)^```$/ms.exec(page)?.[1] ?? ''
  const DIR = mkdtempSync(join(tmpdir(), 'exports-'))
  const env = { ...process.env, API: api.url, DIR, KEY: key.key }
  const run = () => promisify(execFile)('sh', ['-c', script], { env })
  const { ids: before } = await pull({ last: '7d' })
  await run()
  const cursor = readFileSync(join(DIR, 'cursor'))
  const late = draw(5, 4)
  await api.insertReports(late)
  await storable()
  await run()
  await run()
  // As if it had ended before its last line.
  writeFileSync(join(DIR, 'cursor'), cursor)
  await run()
  const files = readdirSync(DIR).filter((name) => name.endsWith('.ndjson'))
  const found = files.flatMap((name) => readFileSync(join(DIR, name), 'utf8').trimEnd().split('\n'))
  rmSync(DIR, { recursive: true })
  const expected = [...before, ...late.map(({ id }) => id)]
  expect(found.map((line) => JSON.parse(line).id).toSorted()).toEqual(expected.toSorted())
})
