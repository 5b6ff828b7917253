import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type Cluster, openCluster } from '../../../clickhouse/cluster/open-cluster.ts'
import { migrate } from '../../../clickhouse/migrate.ts'
import { demoScenarios } from '../../../fixtures/demo-scenarios.ts'
import type { DemoTenant } from '../../../fixtures/demo-tenants.ts'
import type { Database } from '../../../queries/clickhouse/database.ts'
import { startApi } from '../../support/api.ts'
import { done, refused } from '../../support/cli-commands.ts'
import { operations, urlOf } from '../../support/contract.ts'
import { startTestEngine, type TestEngine } from '../../support/engine.ts'
import { fillEveryTable } from '../../support/fill-every-table.ts'
import { connectPatiently, patience } from '../../support/patience.ts'
import { createTenantWriter, type TestKey } from '../../support/tenants.ts'

const full = demoScenarios[1]?.tenant as DemoTenant
let server: TestEngine
let writer: Database
let cluster: Cluster
/** A tenant with rows in every table, and one with a site alone. */
let tenants: readonly { id: string; siteId: string; key: TestKey }[]

beforeAll(async () => {
  server = await startTestEngine()
  writer = connectPatiently(server.userUrls.writer)
  await migrate(writer)
  const store = createTenantWriter(writer)
  const id = await store.createTenant()
  const siteId = await store.createSite(id, { hosts: ['example.test'], sampleRates: { crash: 0.5 } })
  tenants = [
    { id: full.id, siteId: full.sites[0]?.id ?? '', key: await fillEveryTable(writer, full) },
    { id, siteId, key: await store.createKey(id) },
  ]
  cluster = await openCluster(inject('servers').writeUrl, patience)
})
afterAll(async () => {
  await Promise.all([writer?.close(), cluster?.close()])
  await server?.end()
})

const copy = (...more: string[]) => done('tenants', 'copy', '--from', server.userUrls.writer, ...more)

test('tenants of one server are copied to their shards, and answered the same there, with their keys', async () => {
  const { response } = await copy()
  expect(response.tenants).toHaveLength(tenants.length)
  for (const { id } of tenants) expect(response.tenants).toContainEqual({ id, shard: expect.any(Number), copied: true })

  const now = Date.now()
  const [before, after] = [
    await startApi({ readUrl: server.userUrls.reader, writeUrl: server.userUrls.writer, now: () => new Date(now) }),
    await startApi({ now: () => new Date(now) }),
  ]
  for (const { siteId, key } of tenants) {
    for (const [name, endpoint] of operations.all) {
      const target = urlOf(endpoint, { siteId })
      const [one, other] = await Promise.all([before, after].map((api) => api.get(target, { key })))
      expect(other?.status, name).toBe(one?.status)
      if (one?.status === 200) expect(other?.body ?? other?.text, name).toEqual(one.body ?? one.text)
    }
  }
  await Promise.all([before.close(), after.close()])
})

test('again, tenants that are the same are left; a change is copied', async () => {
  const again = await copy()
  expect(again.response.tenants.map(({ copied }: { copied: boolean }) => copied)).toEqual(tenants.map(() => false))
  await writer.command(
    `INSERT INTO sites SELECT * REPLACE('Renamed' AS name, now64(3) AS updated_at) FROM sites FINAL
     WHERE tenant_id = '${full.id}' LIMIT 1`,
  )
  const changed = await copy()
  expect(changed.response.tenants.map(({ copied }: { copied: boolean }) => copied)).toEqual(
    again.response.tenants.map(({ id }: { id: string }) => id === full.id),
  )
})

test('a wrong server, tenant or shard is refused in one line', async () => {
  const words = ['tenants', 'copy', '--from', server.userUrls.writer]
  expect(await refused(...words, '--tenant', '00000000-0000-4000-8000-000000000000')).toBe(
    'The server has no tenant 00000000-0000-4000-8000-000000000000',
  )
  expect(await refused('tenants', 'copy', '--from', 'ftp://x')).toMatch(/--from/)
})
