import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Endpoint } from '../../app/pipeline/endpoint.ts'
import { aReport } from '../../fixtures/reports.ts'
import { dayMs } from '../../schema/durations.ts'
import {
  aSighting,
  type ContractApi,
  firstOfEach,
  operations,
  type Query,
  startContractApi,
  type TestWorld,
} from '../support/contract.ts'
import { plenty } from '../support/tenants.ts'

let api: ContractApi
let world: TestWorld
/** A tenant that keeps its reports for two days. */
let short: TestWorld

beforeAll(async () => {
  api = await startContractApi()
  ;[world, short] = [await keeping(90), await keeping(2)]
  await api.insertReports([...reportsOf(world), ...reportsOf(short)])
})
afterAll(() => api.close())

const send = (endpoint: Endpoint, query: Query, { key, siteIds } = world) =>
  api.request(endpoint, { key, siteId: siteIds[0], query })

const ago = (milliseconds: number) => new Date(Date.now() - milliseconds).toISOString()
const refused = (words: string) => ({
  status: 400,
  body: { error: { code: 'bad_request', message: expect.stringContaining(words) } },
})

/** A tenant that keeps its reports for so many days. */
async function keeping(retentionDays: number): Promise<TestWorld> {
  const tenantId = await api.createTenant({ overrides: { ...plenty, retentionDays } })
  const [one = '', two = ''] = await api.createSites(tenantId, 2)
  return { tenantId, siteIds: [one, two], key: await api.createKey(tenantId) }
}

/** One report and one sighting that are a day old, and as many that are three days old. */
const reportsOf = ({ tenantId, siteIds: [siteId] }: TestWorld) =>
  [1, 3].flatMap((days) => {
    const given = { tenantId, siteId, retentionDays: 365, receivedAt: Date.now() - days * dayMs }
    return [aReport(given), aSighting(given)]
  })

const allowed = 'must be an RFC 3339 date-time from 1970 to 2199, up to milliseconds, with Z or an offset'

// One schema reads the times of every operation.
describe('from and to', () => {
  const [, count] = operations.withWindow.find(([name]) => name === 'reports.count') ?? []
  const countIn = (query: Query) => {
    if (!count) throw new Error('There is no reports.count')
    return send(count, query)
  }

  test.each([
    '2026-02-30T00:00:00Z',
    '2025-02-29T00:00:00Z',
    '2026-04-31T12:00:00Z',
    '2026-01-01',
    '2026-01-01T00:00:00',
    '2026-01-01T00:00Z',
    '2026-01-01 00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T24:00:01Z',
    '2026-01-01T00:00:60Z',
    '2026-01-01T00:00:00.1234Z',
    '2026-01-01T00:00:00+25:00',
    '2026-01-01T00:00:00 02:00',
    '1767225600000',
    'yesterday',
    '0001-01-01T00:00:00Z',
    '9999-12-31T23:59:59Z',
  ])('reject %s', async (time) => {
    expect(await countIn({ from: time })).toMatchObject(refused(`from ${allowed}`))
    expect(await countIn({ to: time })).toMatchObject(refused(`to ${allowed}`))
  })

  test('of an epoch time are refused with the form that is read', async () => {
    for (const time of ['1767225600', '1767225600000']) {
      expect(await countIn({ to: time })).toMatchObject(refused(`${time} is 2026-01-01T00:00:00.000Z`))
    }
  })

  test('accept offsets, small letters and milliseconds', async () => {
    const noon = ago(2 * dayMs).slice(0, 11)
    for (const time of [`${noon}12:00:00+05:30`, `${noon}12:00:00.5-03:00`, `${noon}12:00:00.123z`.replace('T', 't')]) {
      expect(await countIn({ from: time })).toMatchObject({ status: 200 })
    }
  })
})

// One middleware makes the window of the operation's policy, the request and retention.
describe.each(firstOfEach(operations.withWindow, ({ window }) => window))('%s', (_, endpoint) => {
  const maxDays = typeof endpoint.window === 'object' ? endpoint.window.maxDays : 0

  test('rejects what is no time', async () => {
    expect(await send(endpoint, { from: 'yesterday' })).toMatchObject(refused(`from ${allowed}`))
    expect(await send(endpoint, { to: 'yesterday' })).toMatchObject(refused(`to ${allowed}`))
  })

  test('rejects a window that is empty or reversed', async () => {
    const [early, late] = [ago(2 * dayMs), ago(dayMs)]
    expect(await send(endpoint, { from: late, to: late })).toMatchObject(refused('from must be before to'))
    expect(await send(endpoint, { from: late, to: early })).toMatchObject(refused('from must be before to'))
    expect(await send(endpoint, { from: ago(-dayMs) })).toMatchObject(refused('from must be before to'))
  })

  test('rejects a window a millisecond too long and accepts the longest', async () => {
    const to = Date.now()
    const from = (milliseconds: number) => new Date(to - maxDays * dayMs - milliseconds).toISOString()
    const query = { to: new Date(to).toISOString() }
    expect(await send(endpoint, { ...query, from: from(1) })).toMatchObject(refused(`${maxDays} days`))
    expect(await send(endpoint, { ...query, from: from(0) })).toMatchObject({ status: 200 })
  })

  test('rejects a from before retention, and takes its first moment, to which a default from is clamped', async () => {
    const first = Math.floor(Date.now() / dayMs) * dayMs - 2 * dayMs
    const to = new Date().toISOString()
    const since = (time: number) => ({ to, from: new Date(time).toISOString() })
    const begins = `the start of retention, ${new Date(first).toISOString()}`
    expect(await send(endpoint, since(first - 1), short)).toMatchObject(refused(begins))
    const fromRetention = await send(endpoint, since(first), short)
    expect(fromRetention.status).toBe(200)
    expect((await send(endpoint, { to }, short)).text).toBe(fromRetention.text)
  })

  test('rejects a to before retention', async () => {
    expect(await send(endpoint, { to: ago(4 * dayMs) }, short)).toMatchObject(
      refused('to must be after the start of retention'),
    )
  })
})
