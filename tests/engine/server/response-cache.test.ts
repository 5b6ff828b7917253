import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest'
import { clickHouseImportLog } from '../../../app/import/reports/clickhouse-import-log.ts'
import { untilVersionsExpire } from '../../../clickhouse/rollups/until-versions-expire.ts'
import { aReport } from '../../../fixtures/reports.ts'
import type { Database } from '../../../queries/clickhouse/database.ts'
import { listImportSteps } from '../../../queries/tenants/imports.ts'
import { dayMs, minuteMs } from '../../../schema/durations.ts'
import { importVersion } from '../../../schema/rules/import-version.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import { connectPatiently } from '../../support/patience.ts'
import type { TestKey } from '../../support/tenants.ts'

const to = Date.now()
const window = `from=${new Date(to - 2 * dayMs).toISOString()}&to=${new Date(to).toISOString()}`

let api: TestApi
let writer: Database
let tenantId: string
let key: TestKey
const requested: string[] = []

beforeAll(async () => {
  api = await startApi({
    onRead({ name }) {
      if (name !== 'findKey') requested.push(name)
    },
  })
  writer = connectPatiently(inject('servers').writeUrl)
})
afterAll(() => Promise.all([api.close(), writer.close()]))

beforeEach(async () => {
  tenantId = await api.createTenant()
  key = await api.createKey(tenantId)
})

/** No two alike, because the same block again is stored once. */
const some = (count: number) =>
  Array.from({ length: count }, () => aReport({ tenantId, receivedAt: to - minuteMs, id: randomUUID() }))

async function counted(filter = ''): Promise<number> {
  requested.length = 0
  return (await api.get(`/v1/reports/count?${window}${filter}`, { key })).body.data.reportCount
}

/** Sends requests until the response is a cache hit. */
async function expectKept(reports: number): Promise<void> {
  await untilVersionsExpire()
  const send = async () => {
    expect(await counted()).toBe(reports)
    return requested
  }
  await expect.poll(send, { interval: 200 }).not.toContain('countReports')
}

test('a response is cached until an import begins, for a version’s life until its end, and again after it', async () => {
  await api.insertReports(some(3))
  await expectKept(3)

  const importLog = clickHouseImportLog(writer, tenantId)
  const pass = {
    previousToken: '',
    token: randomUUID(),
    hosts: [],
    lines: 1,
    importedAt: to,
    storedFrom: 0,
    retentionDays: 1,
    state: 'open' as const,
  }
  await importLog.start(pass)
  await untilVersionsExpire()
  for (let stored = 4; stored < 7; stored++) {
    // As rows of a running batch become visible.
    await api.insertReports(some(1))
    await untilVersionsExpire()
    expect(await counted()).toBe(stored)
    expect(requested).toContain('countReports')
    expect(await counted()).toBe(stored)
  }
  await importLog.finish(pass, { reports: 3, stored: 3, parts: [] })
  await expectKept(6)
})

test('a batch that is imported again changes the import version', async () => {
  const importLog = clickHouseImportLog(writer, tenantId)
  const first = {
    previousToken: '',
    token: randomUUID(),
    hosts: ['a.test'],
    lines: 1,
    importedAt: to,
    storedFrom: 0,
    retentionDays: 1,
    state: 'open' as const,
  }
  const second = { ...first, hosts: ['b.test'] }
  const mark = async () => importVersion(await writer.read(listImportSteps(tenantId, 10)))
  await importLog.start(first)
  await importLog.finish(first, { reports: 1, stored: 1, parts: [] })
  const between = await mark()
  expect(between).toBeTypeOf('string')
  await importLog.start(second)
  expect(await mark()).toBeUndefined()
  await importLog.finish(second, { reports: 1, stored: 1, parts: [] })
  expect(await mark()).not.toBe(between)
})

test('the import log counts for an hour', async () => {
  const mark = async () => importVersion(await writer.read(listImportSteps(tenantId, 10)))
  const note = (state: string, minutesAgo: number) =>
    writer.command(
      `INSERT INTO import_log_by_time (tenant_id, recorded_at, token, state)
        VALUES ('${tenantId}', now64(3) - INTERVAL ${minutesAgo} MINUTE, '${randomUUID()}', '${state}')`,
    )
  const none = await mark()
  await note('started', 70)
  await note('done', 70)
  expect(await mark()).toBe(none)
  await note('done', 50)
  expect(await mark()).not.toBe(none)
  await note('started', 50)
  expect(await mark()).toBeUndefined()
})

test('a request after an import reads its rows, however many requests came meanwhile', async () => {
  const reports = 20
  let begun = 0
  let done = 0

  async function poll(filter: string): Promise<void> {
    while (done < reports) {
      const before = done
      const reportCount = await counted(filter)
      expect(reportCount).toBeGreaterThanOrEqual(before)
      expect(reportCount).toBeLessThanOrEqual(begun)
    }
  }

  async function importAll(): Promise<void> {
    while (done < reports) {
      begun += 5
      await api.insertReports(some(5))
      await untilVersionsExpire()
      done = begun
    }
  }

  await Promise.all([importAll(), poll(''), poll('&browserName=Chrome'), poll('&osName=Windows')])
  await expectKept(reports)
})
