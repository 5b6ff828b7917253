import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeSiteToken } from '../../../app/collector/site-address.ts'
import { openSpool } from '../../../app/collector/spool.ts'
import { clickHouseReportWriter } from '../../../app/import/reports/clickhouse-report-writer.ts'
import { logImportSteps } from '../../../clickhouse/log-import-steps.ts'
import { checkRollups } from '../../../clickhouse/rollups/check-rollups.ts'
import type { Database } from '../../../queries/clickhouse/database.ts'
import { startTestCollector } from '../../support/collector.ts'
import {
  expectRefused,
  newUrl,
  openCollector,
  storedOf,
  temporaryFolders,
  versionOf,
} from '../../support/collector-posts.ts'
import type { TestDatabase } from '../../support/database.ts'
import { createMigratedDatabase } from '../../support/migrated-database.ts'
import { createTenantWriter } from '../../support/tenants.ts'

let db: TestDatabase
let database: Database
let tenantId: string
const [token, otherToken] = [makeSiteToken(), makeSiteToken()]
const folders = temporaryFolders()

beforeAll(async () => {
  db = await createMigratedDatabase()
  database = db.writer
  const writer = createTenantWriter(database)
  tenantId = await writer.createTenant()
  await writer.createSite(tenantId, { hosts: ['shop.example'], token })
  await writer.createSite(tenantId, { hosts: ['shop.example'], token: otherToken })
})

afterAll(async () => {
  await db?.drop()
  await folders.remove()
})

test('more of a site waiting than a quarter of the limit: 503 overloaded; 204 for what waited, for another site and later', async () => {
  const writer = clickHouseReportWriter(database)
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const { store, post } = await openCollector(database, await folders.make(), {
    limits: { waitingBytes: 4_000 },
    writer: {
      async write(...given) {
        await held
        await writer.write(...given)
      },
    },
  })
  try {
    const urls = Array.from({ length: 5 }, newUrl)
    const posts = urls.map((url) => post(token, url))
    await expect.poll(() => store.waitingBytes()).toBeGreaterThan(1_000)
    await Promise.race(posts)
    const before = store.waitingBytes()
    expectRefused(await post(token, newUrl()), 'overloaded')
    expect(store.waitingBytes()).toBe(before)
    const ofOther = post(otherToken, newUrl())
    await expect.poll(() => store.waitingBytes()).toBeGreaterThan(before)
    release()
    expect((await ofOther).status).toBe(204)
    const results = await Promise.all(posts)
    expect(results.map(({ status }) => status)).toContain(204)
    expect(await storedOf(database, ...urls)).toEqual(results.map(({ status }) => (status === 204 ? 1 : 0)))
    expect(store.waitingBytes()).toBe(0)
    expect(await post(token, newUrl())).toMatchObject({ status: 204 })
  } finally {
    await store.close()
  }
})

test('a waiting block fills further', async () => {
  const writer = clickHouseReportWriter(database)
  const blocks: number[] = []
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  let writes = 0
  const { store, post } = await openCollector(database, await folders.make(), {
    limits: { gatherMs: 10 },
    onFlush: ({ reports }) => blocks.push(reports),
    writer: {
      async write(...given) {
        writes++
        await held
        await writer.write(...given)
      },
    },
  })
  try {
    const posts = [post(token, newUrl())]
    await expect.poll(() => writes).toBe(1)
    const bytes = store.waitingBytes()
    posts.push(post(token, newUrl()))
    await expect.poll(store.waitingBytes).toBeGreaterThan(bytes)
    // Its block is due, and waits for the one that is written.
    await sleep(20)
    posts.push(...Array.from({ length: 8 }, () => post(token, newUrl())))
    await expect.poll(store.waitingBytes).toBeGreaterThan(9 * bytes)
    release()
    for (const { status } of await Promise.all(posts)) expect(status).toBe(204)
    expect(blocks).toEqual([1, 9])
  } finally {
    await store.close()
  }
})

test.each([
  ['before its insert', false],
  ['after its insert', true],
])('a block that a collector left, killed %s, is stored once by the next one', async (_, isInserted) => {
  const folder = await folders.make()
  const writer = clickHouseReportWriter(database)
  let isLeft = false
  const killed = await openCollector(database, join(folder, 'collector'), {
    writer: {
      async write(...given) {
        if (isInserted) await writer.write(...given)
        isLeft = true
        await new Promise(() => {})
      },
    },
  })
  const url = newUrl()
  // Without a response, as of a killed process; its timeout comes after the test.
  void killed.post(token, url)
  await expect.poll(() => isLeft).toBe(true)
  expect(await versionOf(database, tenantId)).toBeUndefined()
  const next = await startTestCollector({ CLICKHOUSE_URL: db.writeUrl, DATA_DIR: folder })
  try {
    await expect.poll(() => readdir(join(folder, 'collector'))).toEqual([])
    expect(await storedOf(database, url)).toEqual([1])
    expect(await versionOf(database, tenantId)).toBeTypeOf('string')
    expect((await checkRollups(database)).differences).toEqual([])
  } finally {
    await next.close()
  }
})

test('a block that ClickHouse refuses is set aside, and those after it are stored', async () => {
  const folder = await folders.make()
  const spool = await openSpool(join(folder, 'collector'))
  const rows = Buffer.from('["no", "row"]\n')
  await spool.save({ token: 'a', stepToken: 'collector a', tenantIds: [tenantId], rows })
  const next = await startTestCollector({ CLICKHOUSE_URL: db.writeUrl, DATA_DIR: folder })
  try {
    await expect.poll(() => readdir(join(folder, 'collector'))).toEqual(['a.refused'])
    const post = async () => (await next.post(token, [{ type: 'csp-violation', url: newUrl(), body: {} }])).status
    await expect.poll(post).toBe(204)
    expect(await versionOf(database, tenantId)).toBeTypeOf('string')
  } finally {
    await next.close()
  }
})

test('a block is in the folder before its step begins and until its step is done', async () => {
  const folder = await folders.make()
  const logSteps = logImportSteps(database)
  const steps: unknown[] = []
  const { store, post } = await openCollector(database, folder, {
    async logSteps(tenantIds, stepToken, state, signal) {
      steps.push([state, (await readdir(folder)).length])
      await logSteps(tenantIds, stepToken, state, signal)
    },
  })
  expect(await post(token, newUrl())).toMatchObject({ status: 204 })
  expect([...steps, await readdir(folder)]).toEqual([['started', 1], ['done', 1], []])
  await store.close()
})

test('a step that is not recorded as done is no failure, and is recorded when ClickHouse takes it', async () => {
  const logSteps = logImportSteps(database)
  let hangs = true
  let hung = 0
  const { store, post } = await openCollector(database, await folders.make(), {
    timeouts: { doneTimeoutMs: 300 },
    async logSteps(tenantIds, stepToken, state, signal) {
      if (hangs && state === 'done') await new Promise(() => hung++)
      await logSteps(tenantIds, stepToken, state, signal)
    },
  })
  const url = newUrl()
  const posted = post(token, url)
  await expect.poll(() => hung).toBe(1)
  const behind = newUrl()
  expectRefused(await post(token, behind), 'upstream_unavailable')
  expect(await posted).toMatchObject({ status: 204 })
  expect(await versionOf(database, tenantId)).toBeUndefined()
  hangs = false
  await expect.poll(store.isReady).toBe(true)
  expect(await versionOf(database, tenantId)).toBeTypeOf('string')
  expect(await storedOf(database, url, behind)).toEqual([1, 0])
  await store.close()
})
