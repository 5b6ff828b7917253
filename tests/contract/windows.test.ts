import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Endpoint } from '../../app/pipeline/endpoint.ts'
import { aReport } from '../../fixtures/reports.ts'
import { dayMs } from '../../schema/durations.ts'
import {
  aSighting,
  type ContractApi,
  createWorld,
  operations,
  type Query,
  startContractApi,
  type TestWorld,
} from '../support/contract.ts'

let api: ContractApi
let world: TestWorld
/** A tenant that keeps its reports for two days. */
let short: Awaited<ReturnType<typeof keeping>>

beforeAll(async () => {
  api = await startContractApi()
  world = await createWorld(api)
  short = await keeping(2)
})
afterAll(() => api.close())

const send = (endpoint: Endpoint, query: Query, { key, siteIds } = world) =>
  api.request(endpoint, { key, siteId: siteIds[0], query })

const ago = (milliseconds: number) => new Date(Date.now() - milliseconds).toISOString()
const refused = (words: string) => ({
  status: 400,
  body: { error: { code: 'bad_request', message: expect.stringContaining(words) } },
})

/** A tenant that keeps its reports for so many days, with one report a day old and one three days old. */
async function keeping(retentionDays: number) {
  const tenantId = await api.createTenant({ overrides: { retentionDays } })
  const siteIds = [await api.createSite(tenantId), await api.createSite(tenantId)] as const
  const reports = [1, 3].flatMap((days) => {
    const given = { tenantId, siteId: siteIds[0], retentionDays: 365, receivedAt: Date.now() - days * dayMs }
    return [aReport(given), aSighting(given)]
  })
  await api.insertReports(reports)
  return { tenantId, siteIds, key: await api.createKey(tenantId) }
}

describe.each(operations.withWindow)('%s', (_, endpoint) => {
  const maxDays = typeof endpoint.window === 'object' ? endpoint.window.maxDays : 0
  const allowed = 'must be an RFC 3339 date-time from 1970 to 2199, up to milliseconds, with Z or an offset'

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
  ])('rejects %s', async (time) => {
    expect(await send(endpoint, { from: time })).toMatchObject(refused(`from ${allowed}`))
    expect(await send(endpoint, { to: time })).toMatchObject(refused(`to ${allowed}`))
  })

  test('accepts offsets, small letters and milliseconds', async () => {
    const noon = ago(2 * dayMs).slice(0, 11)
    for (const time of [`${noon}12:00:00+05:30`, `${noon}12:00:00.5-03:00`, `${noon}12:00:00.123z`.replace('T', 't')]) {
      expect(await send(endpoint, { from: time })).toMatchObject({ status: 200 })
    }
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

  test('rejects a from before retention, and accepts its first moment', async () => {
    const first = Math.floor(Date.now() / dayMs) * dayMs - 2 * dayMs
    const at = (time: number) => ({ from: new Date(time).toISOString() })
    const begins = `retention, which begins at ${new Date(first).toISOString()}`
    expect(await send(endpoint, at(first - 1), short)).toMatchObject(refused(begins))
    expect(await send(endpoint, at(first), short)).toMatchObject({ status: 200 })
  })

  test('clamps a default from to retention', async () => {
    const first = Math.floor(Date.now() / dayMs) * dayMs - 2 * dayMs
    const to = new Date().toISOString()
    const byDefault = await send(endpoint, { to }, short)
    const fromRetention = await send(endpoint, { to, from: new Date(first).toISOString() }, short)
    expect(byDefault.status).toBe(200)
    expect(byDefault.text).toBe(fromRetention.text)
  })

  test('rejects a to before retention', async () => {
    expect(await send(endpoint, { to: ago(4 * dayMs) }, short)).toMatchObject(
      refused('to must be after the start of retention'),
    )
  })
})
