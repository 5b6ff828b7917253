import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { moveTenant } from '../../../app/cli/move-tenant.ts'
import { reportInsertSettings } from '../../../app/import/reports/clickhouse-report-writer.ts'
import { type Cluster, openCluster } from '../../../clickhouse/cluster/open-cluster.ts'
import { placeOfTenant } from '../../../clickhouse/cluster/places.ts'
import { checkRollups } from '../../../clickhouse/rollups/check-rollups.ts'
import { demoScenarios } from '../../../fixtures/demo-scenarios.ts'
import type { DemoTenant } from '../../../fixtures/demo-tenants.ts'
import { aReport, randomReports } from '../../../fixtures/reports.ts'
import { dayMs } from '../../../schema/durations.ts'
import type { StoredReport } from '../../../schema/stored-report.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import { done } from '../../support/cli-commands.ts'
import { importReports, write } from '../../support/cli-import.ts'
import { operations, urlOf } from '../../support/contract.ts'
import { queryRows } from '../../support/database.ts'
import { fillEveryTable } from '../../support/fill-every-table.ts'

const settled = { settledMs: 300 }
const silent = () => {}
let cluster: Cluster
let api: TestApi

beforeAll(async () => {
  cluster = await openCluster(inject('servers').writeUrl)
  api = await startApi()
})
afterAll(() => Promise.all([cluster?.close(), api?.close()]))

async function idsOn(shard: number, tenantId: string): Promise<string[]> {
  const database = cluster.shards.find(({ number }) => number === shard)?.database
  if (!database) throw new Error(`no shard ${shard}`)
  const rows = await queryRows(database, `SELECT toString(id) FROM reports WHERE tenant_id = '${tenantId}'`)
  return rows.map(([id]) => String(id)).sort()
}

const span = () => ({ from: new Date(Date.now() - 30 * dayMs), to: new Date(Date.now() - dayMs) })

async function createFilled(count: number) {
  const tenantId = (await done('tenants', 'create', '--name', 'x', '--plan', 'business', '--shard', '1')).response.id
  const siteIds = [await api.createSite(tenantId, { hosts: ['shop.example.test'] })]
  const reports = randomReports({ count, seed: 1, tenantId, siteIds, ...span(), retentionDays: 90 })
  await api.insertReports(reports)
  return { tenantId, siteIds, reports, key: await api.createKey(tenantId) }
}

const sorted = (reports: readonly StoredReport[]) => reports.map(({ id }) => id).sort()

describe('a tenant with rows in every table', () => {
  const [{ tenant }] = demoScenarios as unknown as [{ tenant: DemoTenant }]

  test('is answered the same after a move, by every operation', async () => {
    const key = await fillEveryTable(cluster.client, tenant)
    const now = Date.now()
    const still = await startApi({ now: () => new Date(now) })
    const targets = operations.all.map(([, endpoint]) => urlOf(endpoint, { siteId: tenant.sites[0]?.id ?? '' }))
    const answers = () =>
      Promise.all(
        targets.map(async (target) => {
          const { status, body, text } = await still.get(target, { key })
          return { status, response: status === 200 ? (body ?? text) : body.error.code }
        }),
      )
    const before = await answers()
    expect(before.filter(({ status }) => status === 200).length).toBeGreaterThan(15)
    await moveTenant(cluster, tenant.id, 2, silent, settled)
    expect(await placeOfTenant(cluster, tenant.id)).toBe(2)
    expect(await answers()).toEqual(before)
    await still.close()
    const { response } = await done('tenants', 'place', '--tenant', tenant.id)
    expect(response).toMatchObject({ shard: 2, rows: { 1: 0 } })
    expect(
      (await checkRollups(cluster.shards[1]?.database as Cluster['client'], { tenantId: tenant.id })).different,
    ).toBe(0)
  })
})

test('polled, imported and collected meanwhile: each report is stored once, and none is ever missing', async () => {
  const { tenantId, siteIds, reports, key } = await createFilled(3_000)
  const path = `/v1/reports/count?from=${span().from.toISOString()}&to=${span().to.toISOString()}`
  const expected = (await api.get(path, { key })).body
  const collected: StoredReport[] = []
  let isMoving = true

  async function poll() {
    while (isMoving) {
      expect((await api.get(path, { key })).body).toEqual(expected)
      await sleep(50)
    }
  }
  async function collect() {
    while (isMoving) {
      const report = aReport({ tenantId, siteId: siteIds[0] ?? '', receivedAt: Date.now() })
      await api.insertReports([report])
      collected.push(report)
      await sleep(20)
    }
  }
  async function importOne() {
    await sleep(300)
    const line = {
      type: 'csp-violation',
      age: 1,
      url: 'https://shop.example.test/',
      body: { documentURL: 'https://shop.example.test/', effectiveDirective: 'img-src' },
    }
    return importReports(['--tenant', tenantId, write(`${randomUUID()}.ndjson`, [JSON.stringify(line)])])
  }
  const moving = moveTenant(cluster, tenantId, 2, silent, settled).finally(() => {
    isMoving = false
  })
  const [, , , imported] = await Promise.all([moving, poll(), collect(), importOne()])

  expect(imported).toMatchObject({ code: 0 })
  expect(collected.length).toBeGreaterThan(10)
  const stored = await idsOn(2, tenantId)
  expect(stored).toHaveLength(reports.length + collected.length + 1)
  expect(new Set(stored).size).toBe(stored.length)
  expect(stored).toEqual(expect.arrayContaining(sorted([...reports, ...collected])))
  expect(await idsOn(1, tenantId)).toEqual([])
  expect((await checkRollups(cluster.shards[1]?.database as Cluster['client'], { tenantId })).different).toBe(0)
})

test('cut off before any step, it is whole on the shard of its place, and goes on when it is run again', async () => {
  const { tenantId, reports } = await createFilled(500)
  const expected = sorted(reports)
  const steps = [
    /^Copying import_log/,
    /^Copying reports/,
    /^Copying sites|^Copying script/,
    /is the tenant's place/,
    /^Waiting/,
    /^Removing .* shard 1/,
  ]
  for (const step of steps) {
    const cut = (line: string) => {
      if (step.test(line)) throw new Error('cut off')
    }
    await moveTenant(cluster, tenantId, 2, cut, settled).catch(() => {})
    expect(await idsOn(await placeOfTenant(cluster, tenantId), tenantId)).toEqual(expected)
  }
  await moveTenant(cluster, tenantId, 2, silent, settled)
  expect(await idsOn(2, tenantId)).toEqual(expected)
  expect(await idsOn(1, tenantId)).toEqual([])
  expect((await checkRollups(cluster.shards[1]?.database as Cluster['client'], { tenantId })).different).toBe(0)
})

test('a report that came to the old shard late, by a node that knew the old place, is brought in', async () => {
  const { tenantId, siteIds, reports } = await createFilled(100)
  await moveTenant(cluster, tenantId, 2, silent, settled)
  const late = aReport({ tenantId, siteId: siteIds[0] ?? '', receivedAt: Date.now() - 5_000 })
  const row = JSON.stringify({
    ...Object.fromEntries([]),
    tenant_id: tenantId,
    site_id: late.siteId,
    report_type: late.reportType,
    received_at: '2026-01-01 00:00:00.000',
    id: late.id,
    retention_days: 9_000,
  })
  await cluster.shards[0]?.database.insert('INSERT INTO reports FORMAT JSONEachRow', Buffer.from(row), {
    settings: { ...reportInsertSettings },
  })
  await moveTenant(cluster, tenantId, 2, silent, settled)
  expect(await idsOn(2, tenantId)).toEqual(sorted([...reports, late]))
  expect(await idsOn(1, tenantId)).toEqual([])
})

test('an import that was cut off must be run again first', async () => {
  const { tenantId } = await createFilled(10)
  const cutOff = `INSERT INTO import_log (tenant_id, previous_token, token, state) VALUES ('${tenantId}', '', 'x', 'started')`
  await cluster.client.command(cutOff)
  await expect(moveTenant(cluster, tenantId, 2, silent, settled)).rejects.toThrow(
    'An import of the tenant is running or was cut off: let it end, or run it again, before the move',
  )
})
