import { randomBytes, randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../../../app/config.ts'
import { scans } from '../../../app/import/records/types/scans.ts'
import { openDestination, sealDestination } from '../../../app/worker/alerts/deliver/destination.ts'
import { resealDestinations } from '../../../app/worker/alerts/deliver/reseal-destinations.ts'
import { startWorker } from '../../../app/worker/start-worker.ts'
import { completeScan, sending } from '../../../fixtures/scans.ts'
import { listDestinations } from '../../../queries/alerts/rules.ts'
import type { Database } from '../../../queries/clickhouse/database.ts'
import { insertRows } from '../../../queries/clickhouse/insert-rows.ts'
import { toClickHouseTime } from '../../../queries/sql/sql.ts'
import { dayMs, hourMs, minuteMs } from '../../../schema/durations.ts'
import { type AlertWorld, createAlertWorld, workerEnvironment } from '../../support/alert-world.ts'
import { queryRows } from '../../support/database.ts'

let world: AlertWorld

beforeAll(async () => {
  world = await createAlertWorld({ DIGEST_HOUR: '8' })
})
afterEach(() => world.forgetRules())
afterAll(() => world?.close())

/** A shop whose page has changed its headers, at the given times or a minute ago. */
async function createChanged(times: readonly number[] = [Date.now() - minuteMs]) {
  const shop = await world.createShop()
  const scan = (time: number, policy: string) =>
    completeScan({
      id: randomUUID(),
      pageId: shop.pageId,
      scannedAt: new Date(time).toISOString(),
      grade: 'A',
      headers: sending({ 'content-security-policy': policy }),
    })
  const before = scan(Math.min(...times) - dayMs, "default-src 'none'")
  await world.api.importRecords(shop.tenantId, scans, [
    before,
    ...times.map((time) => scan(time, `img-src ${time}.test`)),
  ])
  return shop
}

const outcomes = async (tenantId: string) => (await world.deliveriesOf(tenantId)).map(([, , , outcome]) => outcome)

test('a receiver that fails gets the same message with the same id, by the pauses, until it takes it', async () => {
  const shop = await createChanged()
  const now = Date.now()
  world.respond((_, response) => void response.writeHead(500).end())
  const [first] = await world.pass(now)
  expect(await world.pass(now + 3_000)).toEqual([])
  const [second] = await world.pass(now + 6_001)
  expect(await outcomes(shop.tenantId)).toEqual([])
  world.respond((_, response) => void response.writeHead(204).end())
  expect(await world.pass(now + 20_000)).toEqual([])
  const [third] = await world.pass(now + minuteMs)
  expect([second, third]).toEqual([first, first])
  expect(await world.pass(now + dayMs / 2)).toEqual([])
  expect(await outcomes(shop.tenantId)).toEqual(['delivered'])
})

test('after ten attempts an alert is rejected, with the kind of failure and no address', async () => {
  const shop = await createChanged()
  world.respond((_, response) => void response.writeHead(503).end())
  const pausesMs = [5_000, 30_000, ...[2, 10, 30, 60, 120, 240, 480].map((minutes) => minutes * minuteMs)]
  let time = Date.now()
  expect(await world.pass(time)).toHaveLength(1)
  for (const pause of pausesMs) {
    expect(await outcomes(shop.tenantId)).toEqual([])
    time += pause * 1.2
    expect(await world.pass(time)).toHaveLength(1)
  }
  expect(await world.pass(time + 12 * hourMs)).toEqual([])
  expect(await world.deliveriesOf(shop.tenantId)).toMatchObject([
    [
      expect.any(String),
      expect.any(String),
      shop.destinationId,
      'rejected',
      'The receiver responded 503',
      'page.headers_changed',
    ],
  ])
  world.respond((_, response) => void response.writeHead(204).end())
})

test('Retry-After of an hour is heeded, and 410 ends the attempts', async () => {
  const shop = await createChanged()
  const now = Date.now()
  world.respond((_, response) => void response.writeHead(429, { 'retry-after': '3600' }).end())
  expect(await world.pass(now)).toHaveLength(1)
  expect(await world.pass(now + 59 * minuteMs)).toEqual([])
  world.respond((_, response) => void response.writeHead(410).end())
  expect(await world.pass(now + hourMs)).toHaveLength(1)
  expect(await world.pass(now + 12 * hourMs)).toEqual([])
  expect(await outcomes(shop.tenantId)).toEqual(['rejected'])
  world.respond((_, response) => void response.writeHead(204).end())
})

test('an alert whose destination was removed meanwhile is dropped, and its rules alert no more', async () => {
  const shop = await createChanged()
  const now = Date.now()
  world.respond((_, response) => void response.writeHead(500).end())
  await world.pass(now)
  const removed = { tenant_id: shop.tenantId, id: shop.destinationId, name: 'On-call', type: 'webhook', removed: true }
  await insertRows(world.database.writer, 'alert_destinations', [{ ...removed, created_at: '2026-01-31 12:00:00.000' }])
  world.respond((_, response) => void response.writeHead(204).end())
  expect(await world.pass(now + minuteMs)).toEqual([])
  const { body } = await world.api.get('/v1/alert-deliveries', { key: shop.key })
  expect(body.data).toMatchObject([
    {
      outcome: 'dropped',
      destination: { id: shop.destinationId, name: null, type: null },
      detail: 'The destination was removed',
    },
  ])
})

test('an alert that ends the worker in each attempt ends as well', async () => {
  const shop = await createChanged()
  const now = Date.now()
  await world.pass(now)
  const [[, alertId] = []] = await world.deliveriesOf(shop.tenantId)
  const copy = randomUUID()
  await world.database.writer.command(
    `INSERT INTO alerts SELECT * REPLACE (toUUID('${copy}') AS id) FROM (SELECT * FROM alerts WHERE id = '${alertId}')`,
  )
  const attempt = { tenant_id: shop.tenantId, alert_id: copy, destination_id: shop.destinationId }
  const attempts = Array.from({ length: 10 }, (_, index) => ({
    ...attempt,
    at: toClickHouseTime(new Date(now - (10 - index) * minuteMs)),
  }))
  await insertRows(world.database.writer, 'alert_attempts', attempts)
  expect(await world.pass(now + dayMs / 2)).toEqual([])
  expect(await world.deliveriesOf(shop.tenantId)).toContainEqual(
    expect.arrayContaining([copy, 'rejected', 'The worker ended during the last attempt']),
  )
})

test('a message whose site is deleted while it is sent is not sent again', async () => {
  const shop = await createChanged()
  world.respond(async (_, response) => {
    await world.database.writer.command(
      `ALTER TABLE sites DELETE WHERE id = '${shop.siteId}' SETTINGS mutations_sync = 2`,
    )
    response.writeHead(204).end()
  })
  const now = Date.now()
  expect(await world.pass(now)).toHaveLength(1)
  expect(await world.pass(now + minuteMs)).toEqual([])
})

test('a message whose record cannot be stored is not sent again, and its record is stored later', async () => {
  const shop = await createChanged()
  const now = Date.now()
  const run = (statement: string) => world.database.writer.command(statement, { settings: { mutations_sync: '2' } })
  world.respond(async ({ id }, response) => {
    const other = {
      tenant_id: shop.tenantId,
      id,
      alert_id: randomUUID(),
      created_at: toClickHouseTime(new Date(now - 1)),
    }
    await insertRows(world.database.writer, 'alert_deliveries', [other])
    response.writeHead(204).end()
  })
  expect(await world.pass(now)).toHaveLength(1)
  expect(await world.pass(now + minuteMs)).toEqual([])
  expect(world.logged.filter((line) => line.includes('Failed to record a delivery'))).toHaveLength(2)
  await run(`ALTER TABLE alert_deliveries DELETE WHERE tenant_id = '${shop.tenantId}'`)
  world.respond((_, response) => response.writeHead(204).end())
  expect(await world.pass(now + hourMs)).toEqual([])
  const { body } = await world.api.get('/v1/alert-deliveries', { key: shop.key })
  expect(body.data).toMatchObject([
    { outcome: 'delivered', createdAt: new Date(now).toISOString(), siteId: shop.siteId },
  ])
})

test('a send in flight at a stop signal is cut after DRAIN_SECONDS, and counts as an attempt', async () => {
  const shop = await createChanged()
  const hanging = new Promise<ServerResponse>((resolve) => world.respond((_, response) => resolve(response)))
  const config = readConfig({ ...workerEnvironment, SCAN_EVERY_HOURS: '0', DRAIN_SECONDS: '1' })
  const worker = await startWorker(config, world.database.writer, pino({ level: 'silent' }), { lookEveryMs: 20 })
  const response = await hanging
  await worker.stop()
  response.destroy()
  world.respond((_, response) => void response.writeHead(204).end())
  const attempts = `SELECT failure FROM alert_attempts FINAL WHERE tenant_id = '${shop.tenantId}'`
  expect(await queryRows(world.database.writer, attempts)).toEqual([['The worker was stopped before the response']])
  expect(await world.pass(Date.now() + hourMs)).toHaveLength(1)
})

test('one destination that fails does not hold up another', async () => {
  const shop = await createChanged()
  const other = await world.addDestination(shop.tenantId, '/other')
  await world.addRule(shop.tenantId, 'page.headers_changed', other)
  world.respond(({ path }, response) => void response.writeHead(path === '/other' ? 204 : 500).end())
  const sent = await world.pass()
  expect(sent.map(({ path }) => path).sort()).toEqual([`/in/${shop.pageId}`, '/other'])
  expect(new Set(sent.map(({ id }) => id)).size).toBe(2)
  expect(new Set(sent.map(({ message }) => message.data.alertId)).size).toBe(1)
  expect((await world.deliveriesOf(shop.tenantId)).map(([, , to, outcome]) => [to, outcome])).toEqual([
    [other, 'delivered'],
  ])
  world.respond((_, response) => void response.writeHead(204).end())
  await world.pass(Date.now() + minuteMs)
})

test('a digest is one message a day at its hour, and none of a day without alerts', async () => {
  const midnight = Math.floor(Date.now() / dayMs) * dayMs - 3 * dayMs
  const shop = await createChanged([midnight + 9 * hourMs, midnight + 10 * hourMs])
  const officer = await world.addDestination(shop.tenantId, '/officer')
  await world.addRule(shop.tenantId, 'page.headers_changed', officer, { kind: 'digest' })
  const immediate = await world.pass(midnight + 11 * hourMs)
  expect(immediate.map(({ path }) => path)).toEqual([`/in/${shop.pageId}`, `/in/${shop.pageId}`])
  expect(await world.pass(midnight + dayMs + 8 * hourMs - 1)).toEqual([])
  const [digest, ...others] = await world.pass(midnight + dayMs + 8 * hourMs)
  expect(others).toEqual([])
  expect(digest).toMatchObject({
    path: '/officer',
    message: { type: 'digest', data: { alertCount: 2, siteIds: [shop.siteId] } },
  })
  expect(digest?.message.data.summary).toBe('Daily digest: 2 alerts of 1 site')
  expect(digest?.message.data.alerts).toMatchObject([
    { type: 'page.headers_changed' },
    { type: 'page.headers_changed' },
  ])
  expect(await world.pass(midnight + dayMs + 20 * hourMs)).toEqual([])
  expect(await world.pass(midnight + 2 * dayMs + 8 * hourMs)).toEqual([])
  const { body } = await world.api.get('/v1/alert-deliveries', { key: shop.key })
  expect(body.data[0]).toMatchObject({
    kind: 'digest',
    siteIds: [shop.siteId],
    eventType: null,
    siteId: null,
    summary: null,
  })
})

test('of two keys the worker seals again by the first, says that the other can go, and then needs the first alone', async () => {
  const owner = { tenantId: await world.api.createTenant(), destinationId: 'dest-1' }
  const [old, next] = [randomBytes(32), randomBytes(32)]
  const given = {
    tenantId: owner.tenantId,
    id: 'dest-1',
    name: 'On-call',
    type: 'slack',
    address: 'https://a.test/',
  } as const
  await insertRows(world.database.writer, 'alert_destinations', [sealDestination(given, [old]).row])
  const { writer } = world.database
  const ofTenant = { ...writer, read: () => writer.read(listDestinations(owner.tenantId)) } as unknown as Database
  const reseal = (...keys: Buffer[]) => resealDestinations(ofTenant, () => keys)
  expect(await reseal(next, old)).toEqual({ closed: [], isRotated: true })
  const rows = await writer.read(listDestinations(owner.tenantId))
  expect(rows.map((row) => openDestination(row, [next]))).toEqual([{ ...given, secret: '' }])
  expect(await reseal(next)).toEqual({ closed: [], isRotated: false })
  expect(await reseal(old, randomBytes(32))).toMatchObject({ closed: [{ id: 'dest-1' }], isRotated: false })
  expect(await writer.read(listDestinations(owner.tenantId))).toEqual(rows)
})

test('no address and no signing secret is in a log, a table or a response', async () => {
  const shop = await world.createShop()
  const secretPath = `/T024/${randomUUID()}`
  const destination = await world.addDestination(shop.tenantId, secretPath, 'slack')
  await world.addRule(shop.tenantId, 'page.headers_changed', destination)
  const changed = { pageId: shop.pageId, grade: 'A' } as const
  await world.api.importRecords(shop.tenantId, scans, [
    completeScan({ id: randomUUID(), scannedAt: new Date(Date.now() - hourMs).toISOString(), ...changed }),
    completeScan({
      id: randomUUID(),
      scannedAt: new Date(Date.now() - minuteMs).toISOString(),
      ...changed,
      headers: sending({ 'x-frame-options': 'deny' }),
    }),
  ])
  world.respond((_, response) => void response.writeHead(404).end())
  await world.pass()
  expect((await world.deliveriesOf(shop.tenantId)).map(([, , , outcome]) => outcome)).toContain('rejected')
  const tables = await queryRows(
    world.database.writer,
    "SELECT name FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree'",
  )
  const dumps = await Promise.all(
    tables.map(([name]) =>
      queryRows(world.database.writer, `SELECT * FROM ${name}`).then((rows) => JSON.stringify(rows)),
    ),
  )
  const { text } = await world.api.get('/v1/alert-deliveries', { key: shop.key })
  const all = [...dumps, ...world.logged, text, await world.metrics.registry.metrics()]
  expect(all.join('\n')).toContain(destination)
  for (const written of all) {
    expect(written).not.toContain(secretPath)
    expect(written).not.toContain(world.web.origin)
    expect(written).not.toMatch(/whsec_|127\.0\.0\.1/)
  }
  world.respond((_, response) => void response.writeHead(204).end())
})
