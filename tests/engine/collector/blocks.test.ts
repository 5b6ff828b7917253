import { randomUUID } from 'node:crypto'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ClickHouseError } from '@clickhouse/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { segmentFolder } from '../../../app/collector/segment-folder.ts'
import { makeSiteToken } from '../../../app/collector/site-address.ts'
import { holdCollectors } from '../../../app/import/hold.ts'
import { clickHouseReportWriter } from '../../../app/import/reports/clickhouse-report-writer.ts'
import { blockColumns, toInsertLine } from '../../../app/import/reports/insert-block.ts'
import { logImportSteps } from '../../../clickhouse/log-import-steps.ts'
import { checkRollups } from '../../../clickhouse/rollups/check-rollups.ts'
import { aReport } from '../../../fixtures/reports.ts'
import type { Database } from '../../../queries/clickhouse/database.ts'
import { cli } from '../../support/cli.ts'
import { startTestCollector, type TestCollectorOptions } from '../../support/collector.ts'
import { newUrl, reportRequest, send, storedOf, temporaryFolders, versionOf } from '../../support/collector-posts.ts'
import type { TestDatabase } from '../../support/database.ts'
import { createMigratedDatabase } from '../../support/migrated-database.ts'
import { patientBlocks } from '../../support/patience.ts'
import { createTenantWriter } from '../../support/tenants.ts'

let db: TestDatabase
let database: Database
let writer: ReturnType<typeof createTenantWriter>
let tenantId: string
let siteId: string
const token = makeSiteToken()
const folders = temporaryFolders()

beforeAll(async () => {
  db = await createMigratedDatabase()
  database = db.writer
  writer = createTenantWriter(database)
  tenantId = await writer.createTenant()
  siteId = await writer.createSite(tenantId, { hosts: ['shop.example'], token })
})

afterAll(async () => {
  await db?.drop()
  await folders.remove()
})

type Insert = Database['insert']

/** Replaces inserts of reports. */
const replaceInsert =
  (insert: (run: () => Promise<void>) => Promise<void>): NonNullable<TestCollectorOptions['replace']> =>
  (real) => ({
    insert: (...given: Parameters<Insert>) =>
      given[0].startsWith('INSERT INTO reports ') ? insert(() => real.insert(...given)) : real.insert(...given),
  })

/** Posts return at their 204. */
async function start(options: TestCollectorOptions = {}, folder?: string) {
  const dataDir = folder ?? (await folders.make())
  const collector = await startTestCollector({ CLICKHOUSE_URL: db.writeUrl, DATA_DIR: dataDir }, options)
  return {
    ...collector,
    post: (url: string, to = token) => send(() => fetch(`${collector.url}/r/${to}`, reportRequest(url))),
    files: async () => (await readdir(collector.folder)).map((name) => name.replace(/^.*\./, '')),
    state: async () => {
      const response = await fetch(`${collector.url}/readyz`)
      const { log } = (await response.json()) as { readonly log: Record<string, unknown> }
      return { status: response.status, log }
    },
    metric: async (name: string) => {
      const text = await (await fetch(`${collector.url}/metrics`)).text()
      return Number(
        text
          .split('\n')
          .find((line) => line.startsWith(`${name} `))
          ?.split(' ')[1] ?? 0,
      )
    },
  }
}

function gate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, opened }
}

test('a post is 204 before ClickHouse has it, and a waiting block fills further', async () => {
  const { open, opened } = gate()
  let inserts = 0
  const collector = await start({
    replace: replaceInsert(async (run) => {
      inserts++
      await opened
      await run()
    }),
  })
  try {
    const urls = Array.from({ length: 10 }, newUrl)
    expect(await collector.post(urls[0] ?? '')).toMatchObject({ status: 204 })
    await expect.poll(() => inserts).toBe(1)
    expect(await versionOf(database, tenantId)).toBeUndefined()
    for (const url of urls.slice(1)) expect(await collector.post(url)).toMatchObject({ status: 204 })
    expect(await storedOf(database, ...urls)).toEqual(urls.map(() => 0))
    expect(await collector.state()).toMatchObject({ status: 200, log: { reports: 10 } })
    expect(await collector.metric('collector_waiting_reports')).toBe(10)
    open()
    await collector.drained()
    expect(inserts).toBe(2)
    expect(await storedOf(database, ...urls)).toEqual(urls.map(() => 1))
    expect(await versionOf(database, tenantId)).toBeTypeOf('string')
    expect(await collector.metric('collector_stored_reports_total')).toBe(10)
  } finally {
    await collector.close()
  }
})

test.each([
  ['before its insert', false, undefined],
  ['after its insert', true, undefined],
  ['after its insert, whose token is forgotten', true, 0],
])('a block that a collector left %s is stored once by the next one', async (_, isInserted, tokenMs) => {
  const folder = await folders.make()
  const insert = replaceInsert(async (run) => {
    if (isInserted) await run()
    throw Object.assign(new Error('ended'), { code: 'ECONNRESET' })
  })
  const left = await start({ replace: insert }, folder)
  const url = newUrl()
  expect(await left.post(url)).toMatchObject({ status: 204 })
  await expect.poll(left.files).toContain('begun')
  await expect.poll(async () => (await left.state()).log).toMatchObject({ waitsFor: 'ended' })
  await left.close()
  expect(await versionOf(database, tenantId)).toBeUndefined()
  const blocks = { ...patientBlocks, timeouts: { ...patientBlocks.timeouts, ...(tokenMs === 0 && { tokenMs }) } }
  const next = await start({ blocks }, folder)
  try {
    await next.drained()
    expect(await storedOf(database, url)).toEqual([1])
    expect(await next.metric('collector_restored_reports_total')).toBe(0)
    expect(await versionOf(database, tenantId)).toBeTypeOf('string')
    expect((await checkRollups(database, { tenantId })).differences).toEqual([])
  } finally {
    await next.close()
  }
})

const recordOf = (url: string, more: Partial<{ siteId: string; tokenHash: string; receivedAt: number }> = {}) => {
  const report = aReport({ tenantId, siteId, documentUrl: url, id: randomUUID(), ...more })
  const lines = Buffer.from(toInsertLine(report))
  return { tenantId, siteId, tokenHash: '', receivedAt: report.receivedAt, reports: 1, ...more, lines }
}

test('a row whose value does not fit is set aside alone; the others of its block are stored', async () => {
  const folder = await folders.make()
  const urls = Array.from({ length: 7 }, newUrl)
  const records = urls.map((url) => recordOf(url))
  const bad = {
    ...recordOf(newUrl()),
    lines: Buffer.from(toInsertLine(aReport({ tenantId, siteId })).replace(siteId, 'no id')),
  }
  const left = await start({}, folder)
  await left.close()
  const store = segmentFolder(join(folder, 'collector'))
  await store.write('a', 'log', { columns: blockColumns, records: [...records.slice(0, 4), bad, ...records.slice(4)] })
  const next = await start({}, folder)
  try {
    await next.drained()
    expect(await storedOf(database, ...urls)).toEqual(urls.map(() => 1))
    expect(await next.files()).toContain('refused')
    expect(await next.metric('collector_dropped_reports_total{reason="refused"}')).toBe(1)
    expect(await next.metric('collector_blocks_set_aside')).toBe(1)
    expect((await checkRollups(database, { tenantId })).differences).toEqual([])
  } finally {
    await next.close()
  }
})

test('any other refusal is waited for, and named', async () => {
  let refuses = true
  const collector = await start({
    replace: replaceInsert(async (run) => {
      if (refuses) throw new ClickHouseError({ message: 'Not enough privileges', code: '497', type: 'ACCESS_DENIED' })
      await run()
    }),
  })
  try {
    const url = newUrl()
    expect(await collector.post(url)).toMatchObject({ status: 204 })
    await expect
      .poll(collector.state)
      .toMatchObject({ status: 200, log: { waitsFor: expect.stringMatching('privileges') } })
    refuses = false
    await collector.drained()
    expect(await storedOf(database, url)).toEqual([1])
    expect(await collector.files()).not.toContain('refused')
  } finally {
    await collector.close()
  }
})

test('of posts that wait, a deleted site’s are dropped, and a rotated token’s where they came over ten seconds after', async () => {
  const [other, rotated] = [makeSiteToken(), makeSiteToken()]
  const gone = await writer.createSite(tenantId, { hosts: ['shop.example'], token: other })
  const moved = await writer.createSite(tenantId, { hosts: ['shop.example'], token: rotated })
  const { open, opened } = gate()
  let inserts = 0
  const collector = await start({
    replace: replaceInsert(async (run) => {
      inserts++
      await opened
      await run()
    }),
  })
  try {
    // In flight, so that the others wait.
    expect(await collector.post(newUrl())).toMatchObject({ status: 204 })
    await expect.poll(() => inserts).toBe(1)
    const urls = [newUrl(), newUrl(), newUrl()]
    for (const [index, to] of [token, other, rotated].entries()) {
      expect(await collector.post(urls[index] ?? '', to)).toMatchObject({ status: 204 })
    }
    const run = (...words: string[]) => cli(words, { environment: { CLICKHOUSE_URL: db.writeUrl } })
    expect((await run('sites', 'rotate-token', '--tenant', tenantId, '--site', moved)).code).toBe(0)
    await database.command('ALTER TABLE sites DELETE WHERE id = {id:UUID}', {
      params: { id: gone },
      settings: { mutations_sync: '2' },
    })
    open()
    await collector.drained()
    expect(await storedOf(database, ...urls)).toEqual([1, 0, 1])
    expect(await collector.metric('collector_dropped_reports_total{reason="deleted_site"}')).toBe(1)
    // Reports from an outage during which the collector did not learn of the rotation.
    await database.command(
      'ALTER TABLE retired_tokens UPDATE retired_at = retired_at - INTERVAL 60 SECOND WHERE true',
      {
        settings: { mutations_sync: '2' },
      },
    )
    const late = newUrl()
    if ((await collector.post(late, rotated)).status === 204) {
      await collector.drained()
      expect(await collector.metric('collector_dropped_reports_total{reason="rotated_token"}')).toBe(1)
    }
    expect(await storedOf(database, late)).toEqual([0])
    expect((await checkRollups(database, { tenantId })).differences).toEqual([])
  } finally {
    await collector.close()
  }
})

test('while collectors are held posts are 204, and no block begins until the hold ends', async () => {
  const collector = await start()
  try {
    const url = newUrl()
    await holdCollectors(database, async () => {
      expect(await collector.post(url)).toMatchObject({ status: 204 })
      await new Promise((resolve) => setTimeout(resolve, 2_000))
      expect(await collector.files()).not.toContain('begun')
      expect(await storedOf(database, url)).toEqual([0])
      // Its responses are cached during the hold.
      await expect.poll(() => versionOf(database, tenantId)).toBeTypeOf('string')
    })
    await collector.drained()
    expect(await storedOf(database, url)).toEqual([1])
  } finally {
    await collector.close()
  }
})

test('the folder of release 0.2.0: blocks are stored whole, withdrawn ones where a row of them is, and stored ones not again', async () => {
  const folder = await folders.make()
  const log = join(folder, 'collector')
  for (const made of [join(log, 'shard-2'), join(folder, 'collector-stored')]) await mkdir(made, { recursive: true })
  const rowsOf = (urls: readonly string[]) => urls.map((url) => recordOf(url).lines)
  const save = (path: string, lines: readonly Buffer[]) => {
    const rows = Buffer.concat(lines)
    const head = JSON.stringify({ stepToken: 'collector old', tenantIds: [tenantId], bytes: rows.length })
    return writeFile(path, Buffer.concat([Buffer.from(`${head}\n`), rows]))
  }
  const urls = Array.from({ length: 8 }, newUrl)
  const [block, ofShard, withdrawn, halfStored] = [0, 2, 4, 6].map((at) => rowsOf(urls.slice(at, at + 2)))
  await save(join(log, 'a.block'), block ?? [])
  await save(join(log, 'shard-2', 'b.block'), ofShard ?? [])
  await save(join(log, 'c.withdrawn'), withdrawn ?? [])
  await save(join(log, 'd.withdrawn'), halfStored ?? [])
  await writeFile(join(log, 'e.block'), 'no block')
  await clickHouseReportWriter(database).write([halfStored?.[0] ?? Buffer.alloc(0)], 'd-half')
  await save(join(folder, 'collector-stored', 'f.block'), rowsOf([newUrl()]))
  await logImportSteps(database)([tenantId], 'collector old', 'started')
  const collector = await start({}, folder)
  try {
    await collector.drained()
    expect(await storedOf(database, ...urls)).toEqual([1, 1, 1, 1, 0, 0, 1, 1])
    expect((await collector.files()).filter((state) => ['block', 'withdrawn', 'begun'].includes(state))).toEqual([])
    expect(await collector.files()).toContain('unreadable')
    expect(await readdir(folder)).not.toContain('collector-stored')
    expect((await checkRollups(database, { tenantId })).differences).toEqual([])
    expect(await versionOf(database, tenantId)).toBeTypeOf('string')
  } finally {
    await collector.close()
  }
})

test('two collectors do not share a folder', async () => {
  const folder = await folders.make()
  const collector = await start({}, folder)
  await expect(start({}, folder)).rejects.toThrow(/^Cannot lock .*: a collector runs on it/)
  await collector.close()
  await (await start({}, folder)).close()
})
