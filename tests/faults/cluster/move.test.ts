import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { clickHouseReportWriter } from '../../../app/import/reports/clickhouse-report-writer.ts'
import { toInsertLine } from '../../../app/import/reports/insert-block.ts'
import { moveTenant } from '../../../app/tenants/move-tenant.ts'
import { type Cluster, openCluster } from '../../../clickhouse/cluster/open-cluster.ts'
import { requireShard, shardOfTenant } from '../../../clickhouse/cluster/tenant-shards.ts'
import { logImportSteps } from '../../../clickhouse/log-import-steps.ts'
import { checkRollups } from '../../../clickhouse/rollups/check-rollups.ts'
import { demoScenarios } from '../../../fixtures/demo-scenarios.ts'
import type { DemoTenant } from '../../../fixtures/demo-tenants.ts'
import { aReport } from '../../../fixtures/reports.ts'
import type { Database } from '../../../queries/clickhouse/database.ts'
import { forgottenMs } from '../../../schema/durations.ts'
import type { StoredReport } from '../../../schema/stored-report.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import { done, makeTenant } from '../../support/cli-commands.ts'
import { openCliImports } from '../../support/cli-import.ts'
import { startTestCollector } from '../../support/collector.ts'
import { temporaryFolders } from '../../support/collector-posts.ts'
import { operations, urlOf } from '../../support/contract.ts'
import { queryRows } from '../../support/database.ts'
import { fillEveryTable } from '../../support/fill-every-table.ts'
import { createFilledSite, filledSpan } from '../../support/filled-site.ts'
import { patience } from '../../support/patience.ts'
import { createTenantWriter } from '../../support/tenants.ts'

const { importReports, write } = openCliImports()

const folders = temporaryFolders()
const settled = { untilSettled: () => sleep(300) }
const silent = () => {}
let cluster: Cluster
let api: TestApi

beforeAll(async () => {
  cluster = await openCluster(inject('servers').writeUrl, patience)
  api = await startApi()
})
afterAll(() => Promise.all([cluster?.close(), api?.close(), folders.remove()]))

const databaseOf = (shard: number) => requireShard(cluster, shard).database

async function idsOn(shard: number, tenantId: string): Promise<string[]> {
  const rows = await queryRows(databaseOf(shard), `SELECT toString(id) FROM reports WHERE tenant_id = '${tenantId}'`)
  return rows.map(([id]) => String(id)).sort()
}

const differingOn = async (shard: number, tenantId: string) =>
  (await checkRollups(databaseOf(shard), { tenantId })).different

/** Of a move, whose last step compares the rollups with the reports. */
const isRight = { different: 0, checked: expect.toSatisfy((days: number) => days > 0) }

/** On the first shard. */
async function createFilledTenant(count: number, days?: number) {
  const tenantId = await makeTenant('--shard', '1')
  return { tenantId, ...(await createFilledSite(api, tenantId, count, days)) }
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
    const moved = await moveTenant(cluster, tenant.id, 2, { log: silent, ...settled })
    expect(moved).toMatchObject(isRight)
    expect(await shardOfTenant(cluster, tenant.id)).toBe(2)
    expect(await answers()).toEqual(before)
    await still.close()
    const { response } = await done('tenants', 'place', '--tenant', tenant.id)
    expect(response).toMatchObject({ shard: 2, rows: { 1: 0 } })
  })
})

test('polled, imported and collected meanwhile: each report is stored once, and none is ever missing', async () => {
  const { tenantId, token, reports } = await createFilledTenant(1_000)
  const key = await api.createKey(tenantId)
  const { from, to } = filledSpan()
  const path = `/v1/reports/count?from=${from.toISOString()}&to=${to.toISOString()}`
  const expected = (await api.get(path, { key })).body
  const collector = await startTestCollector({ CLICKHOUSE_CLUSTER: '1' })
  const url = 'https://shop.example.test/'
  // Each post is an insert into every rollup.
  const pauseMs = 200
  let collected = 0
  let isMoving = true

  async function poll() {
    while (isMoving) {
      expect((await api.get(path, { key })).body).toEqual(expected)
      await sleep(pauseMs)
    }
  }
  async function collect() {
    while (isMoving) {
      const response = await collector.post(token, [{ type: 'crash', age: 1, url, body: { reason: 'oom' } }])
      expect(response.status).toBe(204)
      collected++
      await sleep(pauseMs)
    }
  }
  async function importOne() {
    await sleep(300)
    const line = { type: 'crash', age: 1, url, body: { reason: 'oom' } }
    return importReports(['--tenant', tenantId, write(`${randomUUID()}.ndjson`, [JSON.stringify(line)])])
  }
  const moving = moveTenant(cluster, tenantId, 2, { log: silent, ...settled }).finally(() => {
    isMoving = false
  })
  const [, , , imported] = await Promise.all([moving, poll(), collect(), importOne()])
  await collector.close()

  expect(imported).toMatchObject({ code: 0 })
  expect(collected).toBeGreaterThan(3)
  const stored = await idsOn(2, tenantId)
  expect(stored).toHaveLength(reports.length + collected + 1)
  expect(new Set(stored).size).toBe(stored.length)
  expect(stored).toEqual(expect.arrayContaining(sorted(reports)))
  expect(await idsOn(1, tenantId)).toEqual([])
  expect(await differingOn(2, tenantId)).toBe(0)
})

test('cut off before any step, it is whole on its shard, and goes on when it is run again', async () => {
  const { tenantId, reports } = await createFilledTenant(200, 32)
  const expected = sorted(reports)
  const steps = [
    /^Copying import_log/,
    /^Copying reports/,
    /^Copying sites|^Copying script/,
    /The tenant's shard is/,
    /^Waiting/,
    /^Removing .* shard 1/,
  ]
  for (const step of steps) {
    const cut = (line: string) => {
      if (step.test(line)) throw new Error('cut off')
    }
    await moveTenant(cluster, tenantId, 2, { log: cut, ...settled }).catch(() => {})
    expect(await idsOn(await shardOfTenant(cluster, tenantId), tenantId)).toEqual(expected)
  }
  expect(await moveTenant(cluster, tenantId, 2, { log: silent, ...settled })).toMatchObject(isRight)
  expect(await idsOn(2, tenantId)).toEqual(expected)
  expect(await idsOn(1, tenantId)).toEqual([])
})

test('a report that came to the old shard late, by a node that knew the old shard, is brought in', async () => {
  const { tenantId, siteId, reports } = await createFilledTenant(100)
  await moveTenant(cluster, tenantId, 2, { log: silent, ...settled })
  const late = aReport({ tenantId, siteId, receivedAt: Date.now() - 5_000 })
  await createTenantWriter(databaseOf(1)).insertReports([late])
  await moveTenant(cluster, tenantId, 2, { log: silent, ...settled })
  expect(await idsOn(2, tenantId)).toEqual(sorted([...reports, late]))
  expect(await idsOn(1, tenantId)).toEqual([])
})

test('a report that is stored between the last copy and its comparison is brought in behind the switch', async () => {
  const { tenantId, siteId, reports } = await createFilledTenant(10)
  const late = aReport({ tenantId, siteId, receivedAt: Date.now() - 5_000 })
  const old = clickHouseReportWriter(databaseOf(1))
  let isStored = false
  const shards = cluster.shards.map((shard) => {
    const read: Database['read'] = async (query, options) => {
      if (query.name === 'summariseTable' && !isStored) {
        isStored = true
        await old.write([Buffer.from(toInsertLine(late))], randomUUID())
      }
      return shard.database.read(query, options)
    }
    return { ...shard, database: { ...shard.database, read } }
  })
  expect(await moveTenant({ ...cluster, shards }, tenantId, 2, { log: silent, ...settled })).toMatchObject(isRight)
  expect(isStored).toBe(true)
  expect(await idsOn(2, tenantId)).toEqual(sorted([...reports, late]))
  const lastSeen = `SELECT toUnixTimestamp64Milli(max(last_seen_at)) FROM issue_first_seen WHERE tenant_id = '${tenantId}'`
  expect(await queryRows(databaseOf(2), lastSeen)).toEqual([[late.receivedAt]])
})

describe('a block whose insert is stored and not acknowledged', () => {
  /** Its first insert goes to the first shard, as by a node with the old shard; it is sent again once `release` is called. */
  async function collectBlock(report: StoredReport) {
    const [first, others] = [databaseOf(1), cluster.client].map((database) => clickHouseReportWriter(database))
    const logSteps = logImportSteps(cluster.client)
    const [token, stepToken] = [randomUUID(), `collector ${randomUUID()}`]
    const lines = [Buffer.from(toInsertLine(report))]
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    await logSteps([report.tenantId], stepToken, 'started')
    await first?.write(lines, token)
    const sent = released.then(async () => {
      await others?.write(lines, token)
      await logSteps([report.tenantId], stepToken, 'done')
    })
    return { release, close: () => sent }
  }

  test.each([/^Copying reports/, /The tenant's shard is/])('at the step %s is stored once', async (step) => {
    const { tenantId, siteId, reports } = await createFilledTenant(10)
    const report = aReport({ tenantId, siteId, receivedAt: Date.now() - 5_000 })
    let block: ReturnType<typeof collectBlock> | undefined
    const log = async (line: string) => {
      if (step.test(line)) block ??= collectBlock(report)
      if (/^Waiting for blocks/.test(line)) (await block)?.release()
    }
    await moveTenant(cluster, tenantId, 2, {
      log,
      async untilSettled(milliseconds) {
        expect(milliseconds).toBe(forgottenMs)
        // It has begun.
        await block
      },
    })
    ;(await block)?.release()
    await (await block)?.close()
    expect(await idsOn(2, tenantId)).toEqual(sorted([...reports, report]))
    expect(await idsOn(1, tenantId)).toEqual([])
    expect(await differingOn(2, tenantId)).toBe(0)
  })

  test('and never sent again ends the move, which leaves the tenant whole on its shard', async () => {
    const { tenantId, siteId, reports } = await createFilledTenant(10)
    const report = aReport({ tenantId, siteId, receivedAt: Date.now() - 5_000 })
    const block = await collectBlock(report)
    const moving = moveTenant(cluster, tenantId, 2, { log: silent, ...settled, acknowledgedMs: 300 })
    await expect(moving).rejects.toThrow(
      'A collector has an unacknowledged block: run the command again after the collector has sent it',
    )
    expect(await idsOn(await shardOfTenant(cluster, tenantId), tenantId)).toEqual(sorted([...reports, report]))
    block.release()
    await block.close()
    await moveTenant(cluster, tenantId, 2, { log: silent, ...settled })
    expect(await idsOn(2, tenantId)).toEqual(sorted([...reports, report]))
  })
})

test('an import that was cut off must be run again first', async () => {
  const { tenantId } = await createFilledTenant(10)
  const cutOff = `INSERT INTO import_log (tenant_id, previous_token, token, state) VALUES ('${tenantId}', '', 'x', 'started')`
  await cluster.client.command(cutOff)
  await expect(moveTenant(cluster, tenantId, 2, { log: silent, ...settled })).rejects.toThrow(
    'An import of the tenant is running or was interrupted: let it finish, or run it again, before the move',
  )
})
