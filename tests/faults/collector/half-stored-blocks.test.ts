import { readdir } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeSiteToken } from '../../../app/collector/site-address.ts'
import { checkRollups } from '../../../clickhouse/rollups/check-rollups.ts'
import type { Database } from '../../../queries/clickhouse/database.ts'
import { startTestCollector } from '../../support/collector.ts'
import { reportRequest, send, storedOf, temporaryFolders, versionOf } from '../../support/collector-posts.ts'
import type { TestEngine } from '../../support/engine.ts'
import { startMigratedEngine } from '../../support/migrated-engine.ts'
import { connectPatiently } from '../../support/patience.ts'
import { createSlowView, type SlowView } from '../../support/slow-view.ts'
import { createTenantWriter } from '../../support/tenants.ts'

let engine: TestEngine
let database: Database
let view: SlowView
let tenantId: string
const token = makeSiteToken()
const folders = temporaryFolders()

beforeAll(async () => {
  engine = await startMigratedEngine()
  database = connectPatiently(engine.userUrls.writer)
  const writer = createTenantWriter(database)
  tenantId = await writer.createTenant()
  await writer.createSite(tenantId, { hosts: ['shop.example'], token })
  view = await createSlowView(database)
})
afterAll(async () => {
  await database?.close()
  await engine?.end()
  await folders.remove()
})

test('a server killed between a block’s part and its views: the block is completed, and never set aside', async () => {
  const collector = await startTestCollector({ CLICKHOUSE_URL: engine.userUrls.writer, DATA_DIR: await folders.make() })
  const post = (page: string) => send(() => fetch(`${collector.url}/r/${token}`, reportRequest(page)))
  const { page, posted } = await view.halfStored(post)
  process.kill(engine.pid() as number, 'SIGKILL')
  expect((await posted).status).toBe(204)
  await collector.drained()
  expect((await readdir(collector.folder)).filter((name) => name.endsWith('.refused'))).toEqual([])
  expect([await storedOf(database, page), await view.count(page)]).toEqual([[1], 1])
  expect(await checkRollups(database)).toMatchObject({ different: 0 })
  expect(await versionOf(database, tenantId)).toBeTypeOf('string')
  await collector.close()
})
