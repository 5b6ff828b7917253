import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { scans } from '../../../app/import/records/types/scans.ts'
import { scriptDecisions } from '../../../app/import/records/types/script-decisions.ts'
import { aReport } from '../../../fixtures/reports.ts'
import { fetches, scannedScript } from '../../../fixtures/scanned-scripts.ts'
import { completeScan, failedScan, type ScanRecord, sending } from '../../../fixtures/scans.ts'
import { insertRows } from '../../../queries/clickhouse/insert-rows.ts'
import { issueIdColumn, listNewSightings } from '../../../queries/issues/new-sightings.ts'
import { sql, toClickHouseTime, uint64s } from '../../../queries/sql/sql.ts'
import { dayMs, hourMs, minuteMs } from '../../../schema/durations.ts'
import { issueId } from '../../../schema/issue-id.ts'
import type { StoredReport } from '../../../schema/stored-report.ts'
import { type AlertWorld, createAlertWorld } from '../../support/alert-world.ts'

let world: AlertWorld

beforeAll(async () => {
  world = await createAlertWorld()
})
afterEach(() => world.forgetRules())
afterAll(() => world?.close())

type Shop = Awaited<ReturnType<AlertWorld['createShop']>>

const at = (time: number) => new Date(time).toISOString()
const policy = "default-src 'self'"

/** Scans of the shop's page, oldest first. */
const importScans = (shop: Shop, given: readonly (Partial<ScanRecord> & { readonly time: number })[]) =>
  world.api.importRecords(
    shop.tenantId,
    scans,
    given.map(({ time, ...scan }) => {
      const named = { id: randomUUID(), pageId: shop.pageId, scannedAt: at(time), ...scan }
      return scan.status === 'failed' ? failedScan(named) : completeScan(named as Parameters<typeof completeScan>[0])
    }),
  )

const withPolicy = { headers: sending({ 'content-security-policy': policy }), grade: 'A' } as const

let seed = 0
const insertIssues = (shop: Shop, hosts: readonly string[], receivedAt: number, given: Partial<StoredReport> = {}) =>
  world.api.insertReports(
    hosts.map((issueHost) => {
      const id = `${randomUUID().slice(0, 24)}${String(++seed).padStart(12, '0')}`
      return aReport({ tenantId: shop.tenantId, siteId: shop.siteId, issueHost, receivedAt, id, ...given })
    }),
  )

/** A site that had its first day long ago. */
async function createOldShop(given?: Parameters<typeof world.createShop>[0]) {
  const shop = await world.createShop(given)
  await insertIssues(shop, ['old.test'], Date.now() - 20 * dayMs)
  return shop
}

test('a page that loses its policy and its grade is one alert, sent once, and is alerted in the readiness', async () => {
  const shop = await world.createShop()
  const officer = await world.addDestination(shop.tenantId, '/officer')
  await world.addRule(shop.tenantId, 'page.grade_dropped', officer)
  const now = Date.now()
  const id = randomUUID()
  await importScans(shop, [
    { time: now - hourMs, ...withPolicy },
    { time: now - minuteMs, id },
  ])
  const sent = (await world.pass()).sort((a, b) => (a.path > b.path ? 1 : -1))
  const path = `/v1/sites/${shop.siteId}/pages/${shop.pageId}/scans/${id}`
  const data = { siteId: shop.siteId, siteName: 'Shop', pageId: shop.pageId, pageLabel: 'Checkout', scanId: id, path }
  const grades = { gradeDroppedFrom: 'A', grade: 'F' }
  expect(sent).toMatchObject([
    {
      path: `/in/${shop.pageId}`,
      message: {
        type: 'page.headers_changed',
        timestamp: at(now - minuteMs),
        data: {
          ...data,
          ...grades,
          summary: 'Checkout: content-security-policy removed; grade A dropped to F',
          headers: [{ header: 'content-security-policy', change: 'removed', before: policy, after: null }],
        },
      },
    },
    {
      path: '/officer',
      message: {
        type: 'page.grade_dropped',
        data: { ...data, ...grades, summary: 'Checkout: grade A dropped to F' },
      },
    },
  ])
  expect(await world.pass()).toEqual([])
  expect(await world.pass(now + hourMs)).toEqual([])

  const { body } = await world.api.get('/v1/alert-deliveries', { key: shop.key })
  const alertIds = sent.map(({ message }) => message.data.alertId)
  expect(body.data.map(({ alertId }: { alertId: string }) => alertId).sort()).toEqual(alertIds.sort())
  expect(body.data.map(({ id }: { id: string }) => id).sort()).toEqual(sent.map((one) => one.id).sort())
  const common = { kind: 'immediate', outcome: 'delivered', detail: null, siteId: shop.siteId }
  expect(body.data).toMatchObject([common, common])
  const readiness = await world.api.get(`/v1/compliance/pci-dss?siteId=${shop.siteId}`, { key: shop.key })
  expect(readiness.body.data.evidence.changes).toMatchObject([{ scanId: id, alerted: true }])
})

test('the third failed scan in a row is one alert, the fourth none, and the next complete one is its end', async () => {
  const shop = await world.createShop()
  const now = Date.now()
  const failed = (minutes: number) => ({ time: now - minutes * minuteMs, status: 'failed' as const })
  await importScans(shop, [{ time: now - hourMs, ...withPolicy }, failed(50), failed(40)])
  expect(await world.pass()).toEqual([])
  await importScans(shop, [failed(30)])
  expect((await world.pass()).map(({ message }) => message)).toMatchObject([
    { type: 'page.scan_failing', data: { summary: 'Checkout: 3 scans in a row failed, the last with timeout' } },
  ])
  await importScans(shop, [failed(20)])
  expect(await world.pass()).toEqual([])
  await importScans(shop, [{ time: now - 10 * minuteMs, ...withPolicy }])
  const [end, ...others] = await world.pass()
  expect(others).toEqual([])
  expect(end?.message).toMatchObject({
    type: 'page.scan_failing',
    data: { summary: 'Checkout: scans work again, with grade A', ended: true, pageId: shop.pageId },
  })
  await importScans(shop, [{ time: now - minuteMs, ...withPolicy }])
  expect(await world.pass()).toEqual([])
})

test('a complete scan after two failures is no alert', async () => {
  const shop = await world.createShop()
  const now = Date.now()
  const failed = (minutes: number) => ({ time: now - minutes * minuteMs, status: 'failed' as const })
  await importScans(shop, [{ time: now - hourMs, ...withPolicy }, failed(50), failed(40)])
  await importScans(shop, [{ time: now - minuteMs, ...withPolicy }])
  expect(await world.pass()).toEqual([])
})

test('a new issue is one alert however many reports it has; noise alone and old ones are none', async () => {
  const shop = await createOldShop()
  const now = Date.now()
  await insertIssues(
    shop,
    Array.from({ length: 500 }, () => 'new.test'),
    now - minuteMs,
  )
  await insertIssues(shop, ['noise.test'], now - minuteMs, { noise: true })
  await insertIssues(shop, ['old.test'], now - minuteMs)
  await insertIssues(shop, ['imported.test'], now - 3 * dayMs)
  const sent = await world.pass()
  expect(sent.map(({ message }) => message)).toMatchObject([
    {
      type: 'csp.new_issue',
      timestamp: at(now - minuteMs),
      data: {
        summary: 'New issue: script-src-elem blocks new.test',
        siteId: shop.siteId,
        issueCount: 1,
        issues: [{ directive: 'script-src-elem', host: 'new.test', firstSeen: at(now - minuteMs) }],
      },
    },
  ])
  const [one] = sent
  const issues = await world.api.get(`${one?.message.data.path}`, { key: shop.key })
  expect(issues.body.data).toHaveLength(50)
  await insertIssues(shop, ['new.test', 'noise.test'], now - 1_000, { noise: true })
  expect(await world.pass()).toEqual([])
})

test('many new issues of a pass are one message', async () => {
  const shop = await createOldShop()
  const hosts = Array.from({ length: 37 }, (_, index) => `host-${index}.test`)
  await insertIssues(shop, hosts, Date.now() - minuteMs)
  const sent = await world.pass()
  expect(sent.map(({ message }) => message.data)).toMatchObject([{ summary: '37 new issues', issueCount: 37 }])
  expect(sent[0]?.message.data.issues).toHaveLength(20)
  expect(Buffer.byteLength(JSON.stringify(sent[0]?.message))).toBeLessThan(20_000)
  expect(await world.pass()).toEqual([])
})

test('the many issues of a site without a rule, or from before it, hold up no other site', async () => {
  const flooded = await createOldShop()
  const { tenantId, destinationId } = flooded
  await world.forgetRules()
  const other = { ...flooded, siteId: await world.api.createSite(tenantId, { name: 'Other' }) }
  await insertIssues(other, ['old.test'], Date.now() - 20 * dayMs)
  await world.addRule(tenantId, 'csp.new_issue', destinationId, { siteId: other.siteId, minReports: 1 })
  await world.addRule(tenantId, 'csp.new_issue', destinationId, { since: Date.now() - minuteMs, minReports: 1 })
  const hosts = Array.from({ length: 1_100 }, (_, index) => `flood-${index}.test`)
  await insertIssues(flooded, hosts, Date.now() - hourMs)
  await insertIssues(other, ['attack.test'], Date.now() - 2 * minuteMs)
  const sent = await world.pass()
  expect(sent.map(({ message }) => message.data)).toMatchObject([
    { siteId: other.siteId, summary: 'New issue: script-src-elem blocks attack.test' },
  ])
})

test('the issues of a site’s first day are held, and then one message', async () => {
  const shop = await world.createShop()
  const first = Date.now() - 2 * hourMs
  await insertIssues(shop, ['a.test', 'b.test', 'c.test', 'd.test', 'e.test'], first)
  await insertIssues(shop, ['noise.test'], first, { noise: true })
  expect(await world.pass()).toEqual([])
  await insertIssues(shop, ['f.test'], first + hourMs)
  expect(await world.pass(first + dayMs - 1)).toEqual([])
  const [day, ...others] = await world.pass(first + dayMs)
  expect(others).toEqual([])
  expect(day?.message.data).toMatchObject({ summary: '6 issues on the first day', issueCount: 6 })
  expect(await world.pass(first + dayMs + minuteMs)).toEqual([])
  await insertIssues(shop, ['second.test'], first + dayMs + minuteMs)
  const later = await world.pass(first + dayMs + 2 * minuteMs)
  expect(later.map(({ message }) => message.data.summary)).toEqual(['New issue: script-src-elem blocks second.test'])
})

test('past twelve messages an hour the issues wait for one of the next hour', async () => {
  const shop = await createOldShop()
  const now = Date.now()
  for (let count = 0; count < 12; count++) {
    await insertIssues(shop, [`host-${count}.test`], now - 1_000)
    expect(await world.pass(now + count * 1_000)).toHaveLength(1)
  }
  await insertIssues(
    shop,
    ['e', 'f', 'g', 'h'].map((host) => `${host}.test`),
    now,
  )
  expect(await world.pass(now + minuteMs)).toEqual([])
  const [one, ...others] = await world.pass(now + hourMs + 12_000)
  expect(others).toEqual([])
  expect(one?.message.data).toMatchObject({ issueCount: 4 })
})

test('a flood of a site is one message, and neither its true issues nor those of a sister site wait', async () => {
  const flooded = await createOldShop()
  const { tenantId } = flooded
  const sister = { ...flooded, siteId: await world.api.createSite(tenantId, { name: 'Sister' }) }
  await insertIssues(sister, ['old.test'], Date.now() - 20 * dayMs)
  const policy = { 'content-security-policy': 'img-src https://cdn.known.test' }
  await importScans(flooded, [{ time: Date.now() - hourMs, headers: sending(policy), grade: 'A' }])
  await world.pass()
  const now = Math.floor(Date.now() / hourMs) * hourMs
  const time = now - minuteMs
  await insertIssues(
    flooded,
    Array.from({ length: 1_100 }, (_, index) => `flood-${index}.test`),
    time,
  )
  await insertIssues(flooded, ['cdn.known.test'], time)
  for (const browserName of ['Chrome', 'Firefox']) {
    await insertIssues(
      flooded,
      Array.from({ length: 5 }, () => 'true.test'),
      time,
      { browserName },
    )
  }
  await insertIssues(sister, ['attack.test'], time)
  const issuesOf = async (moment: number) =>
    (await world.pass(moment)).flatMap(({ message }) => (message.type === 'csp.new_issue' ? message.data.summary : []))
  const hour = at(now - hourMs)
    .slice(0, 16)
    .replace('T', ' ')
  expect((await issuesOf(now)).sort()).toEqual([
    `1,102 new issues in the hour from ${hour} UTC: above 1,000, only known hosts and issues of high confidence trigger alerts`,
    'New issue: script-src-elem blocks attack.test',
    'New issue: script-src-elem blocks cdn.known.test',
    'New issue: script-src-elem blocks true.test',
  ])
  expect(await issuesOf(now + minuteMs)).toEqual([])
})

test('a message names issues of known hosts and of high confidence first, then those with the most reports', async () => {
  const shop = await createOldShop()
  const policy = { 'content-security-policy': 'img-src https://cdn.known.test' }
  await importScans(shop, [{ time: Date.now() - hourMs, headers: sending(policy), grade: 'A' }])
  await world.pass()
  const now = Date.now()
  const hosts = Array.from({ length: 30 }, (_, index) => `host-${index}.test`)
  await insertIssues(shop, [...hosts, 'many.test', 'many.test'], now - 2 * minuteMs)
  await insertIssues(shop, ['cdn.known.test'], now - minuteMs)
  const [sent] = await world.pass(now)
  expect(sent?.message.data.issues?.slice(0, 2).map(({ host }) => host)).toEqual(['cdn.known.test', 'many.test'])
  expect(sent?.message.data.issueCount).toBe(32)
})

test('an issue whose key begins with zero bytes is alerted once', async () => {
  const shop = await createOldShop()
  const keys = [0x00ffeeddccbbaa99n, 0x0000000000000abcn, 7n]
  const now = Date.now()
  await insertRows(
    world.database.writer,
    'reports_per_day_by_issue',
    keys.map((key) => ({
      tenant_id: shop.tenantId,
      report_type: 'csp-violation',
      site_id: shop.siteId,
      issue_key: String(key),
      bucket: Math.floor(now / dayMs) * (dayMs / 1000),
      first_seen_at: toClickHouseTime(new Date(now - minuteMs)),
      report_count: 1,
    })),
  )
  expect(await world.pass(now)).toHaveLength(3)
  const [wanted, one] = [[{ siteId: null, since: new Date(0) }], { minReports: 1, minBrowsers: 0 }]
  const since = new Date(now - dayMs)
  expect(
    await world.database.writer.read(
      listNewSightings(shop.tenantId, { since, wanted, bounds: one, isBounded: true }, 9),
    ),
  ).toEqual([])
})

test('the id of an issue in SQL is that of the API', async () => {
  const keys = [0n, 1n, 2n ** 64n - 1n, ...fc.sample(fc.bigInt(0n, 2n ** 64n - 1n), 100)]
  const row = z.object({ id: z.string() })
  const statement = sql`SELECT ${issueIdColumn(sql`key`)} AS id FROM (SELECT arrayJoin(${uint64s(keys)}) AS key)`
  const ids = await world.database.writer.read({ name: 'issueIds', statement, row })
  expect(ids.map(({ id }) => id)).toEqual(keys.map(issueId))
})

test('alerts of a site that is being deleted are sent to nobody, whatever is deleted first', async () => {
  const shop = await createOldShop()
  await insertIssues(shop, ['new.test'], Date.now() - minuteMs)
  expect(await world.pass()).toHaveLength(1)
  for (const [table, condition] of [
    ['sites', `id = '${shop.siteId}'`],
    ['alert_deliveries', `site_id = '${shop.siteId}'`],
  ]) {
    await world.database.writer.command(`ALTER TABLE ${table} DELETE WHERE ${condition} SETTINGS mutations_sync = 2`)
  }
  await insertIssues(shop, ['late.test'], Date.now() - 1_000)
  expect(await world.pass()).toEqual([])
})

test('a script of a payment page that was added or changed is an alert, but where a decision allows it', async () => {
  const shop = await world.createShop()
  const now = Date.now()
  const script = (name: string, release: number) =>
    scannedScript(`https://cdn.test/${name}.js`, fetches.readable, { release })
  const pinned = (name: string) => `https://cdn.test/${name}.js`
  const decide = (url: string, integrityMode: 'any_content' | 'pinned_hashes', decidedAt: number) => ({
    id: randomUUID(),
    siteId: shop.siteId,
    url,
    status: 'authorized',
    integrityMode,
    justification: 'Needed',
    decidedBy: { name: null, email: 'ada@shop.test' },
    decidedAt: at(decidedAt),
  })
  const first = [script('free', 1), script('pinned', 1), script('known', 1), script('open', 1)]
  await importScans(shop, [{ time: now - 3 * hourMs, ...withPolicy, scripts: first }])
  await importScans(shop, [
    { time: now - 2 * hourMs, ...withPolicy, scripts: [...first.slice(0, 2), script('known', 2)] },
  ])
  await world.api.importRecords(shop.tenantId, scriptDecisions, [
    decide(pinned('free'), 'any_content', now - hourMs),
    decide(pinned('pinned'), 'pinned_hashes', now - hourMs),
    decide(pinned('known'), 'pinned_hashes', now - hourMs),
  ])
  expect(await world.pass()).toEqual([])
  const second = [script('free', 2), script('pinned', 2), script('known', 1), script('open', 1), script('new', 1)]
  await importScans(shop, [{ time: now - minuteMs, ...withPolicy, scripts: second }])
  const sent = (await world.pass()).map(({ message: { type, data } }) => [type, data.summary])
  expect(sent.sort()).toEqual([
    ['script.changed', 'Checkout: script added, https://cdn.test/new.js'],
    ['script.changed', 'Checkout: script back again, https://cdn.test/open.js'],
    ['script.changed', 'Checkout: script changed, https://cdn.test/pinned.js'],
  ])
  expect(await world.pass()).toEqual([])
  const many = Array.from({ length: 5 }, (_, index) => script(`tag-${index}`, 1))
  await importScans(shop, [{ time: now - 1_000, ...withPolicy, scripts: [...second, ...many] }])
  const [one, ...others] = await world.pass()
  expect(others).toEqual([])
  expect(one?.message.data).toMatchObject({
    summary: '5 changes of scripts on payment pages',
    scriptCount: 5,
    scripts: many.map(({ url, hash }) => ({ url, hash, change: 'added', pageId: shop.pageId, pageLabel: 'Checkout' })),
  })
})

test('in a quiet week there is no message, nor for an import of old files, and a change after it is one', async () => {
  const shop = await createOldShop()
  const passOf = async (time: number) => (await world.pass(time)).filter(({ path }) => path === `/in/${shop.pageId}`)
  const start = Date.now() - 8 * dayMs
  const days = Array.from({ length: 8 }, (_, day) => ({ time: start + day * dayMs, ...withPolicy }))
  await importScans(shop, days)
  for (const { time } of days) await insertIssues(shop, ['old.test'], time)
  for (let time = start; time < start + 7 * dayMs; time += 12 * hourMs) expect(await passOf(time)).toEqual([])
  const longAgo = start - 30 * dayMs
  await importScans(shop, [
    { time: longAgo, ...withPolicy },
    { time: longAgo + hourMs },
    { time: longAgo + dayMs, ...withPolicy },
  ])
  await insertIssues(shop, ['long-gone.test'], longAgo)
  expect(await passOf(start + 7 * dayMs)).toEqual([])
  await importScans(shop, [{ time: start + 7 * dayMs + hourMs, headers: sending({}), grade: 'A' }])
  expect(await passOf(start + 7 * dayMs + 2 * hourMs)).toHaveLength(1)
})

test('a rule covers what is found from when it was written, and an imported one of another system nothing', async () => {
  const { tenantId, siteId, pageId } = await world.createShop()
  const shop = { ...(await world.createShop()), tenantId, siteId, pageId }
  const now = Date.now()
  const other = await world.addDestination(tenantId, '/late')
  await world.addRule(tenantId, 'page.headers_changed', other, { since: now })
  await world.addRule(tenantId, 'page.headers_changed', 'dst_elsewhere')
  await importScans(shop, [
    { time: now - hourMs, ...withPolicy },
    { time: now - minuteMs, ...withPolicy, headers: sending({}) },
  ])
  expect((await world.pass()).map(({ path }) => path)).toEqual([`/in/${pageId}`])
  await importScans(shop, [{ time: now + 1, ...withPolicy }])
  expect((await world.pass(now + minuteMs)).map(({ path }) => path).sort()).toEqual([`/in/${pageId}`, '/late'])
})
