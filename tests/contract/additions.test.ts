import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Endpoint } from '../../app/pipeline/endpoint.ts'
import { dayMs } from '../../schema/durations.ts'
import {
  type ContractApi,
  operations,
  type Query,
  sharedWorlds,
  startContractApi,
  type TestWorld,
} from '../support/contract.ts'

const moment = Math.ceil(Date.now() / 10_000) * 10_000 + 1_234

let api: ContractApi
let world: TestWorld

beforeAll(async () => {
  api = await startContractApi({ now: () => new Date(moment) })
  ;[world] = await sharedWorlds(api)
})
afterAll(() => api.close())

const operation = (name: string) => operations.all.find(([one]) => one === name)?.[1] as Endpoint

const send = (name: string, query: Query = {}) =>
  api.request(operation(name), { key: world.key, siteId: world.siteIds[0], query })

const iso = (time: number) => new Date(time).toISOString()
const ends = { from: iso(moment - dayMs), to: iso(moment) }

test.each<[string, string, Query, string[]]>([
  ['reports.histogram', 'an unknown time zone', { timeZone: 'Mars/Phobos' }, ['timeZone', 'Europe/Berlin', 'Phobos']],
  ['reports.histogram', 'an offset as a time zone', { timeZone: '+02:00' }, ['timeZone', 'Europe/Berlin']],
  ['reports.histogram', 'a time zone of other characters', { timeZone: 'Europe/Berlin\u0000' }, ['timeZone']],
  ['reports.histogram', 'a plus that is a space', { timeZone: 'Etc/GMT 5' }, ['timeZone', 'write + as %2B']],
  ['reports.histogram', 'top without groupBy', { top: '3' }, ['top', 'groupBy']],
  ['reports.histogram', 'no series', { groupBy: 'directive', top: '0' }, ['top must be an integer from 1 to 20']],
  ['reports.histogram', 'more series than 20', { groupBy: 'directive', top: '21' }, ['from 1 to 20']],
  ['reports.histogram', 'two dimensions', { groupBy: 'directive,osName' }, ['groupBy must be one of', 'directive']],
  [
    'reports.histogram',
    'a dimension that the type lacks',
    { reportType: 'crash', groupBy: 'directive' },
    ['groupBy: crash reports have no directive'],
  ],
  ['reports.grouped', 'another total than true and false', { total: '1' }, ['total must be one of true, false']],
  ['reports.values', 'two dimensions', { dimension: 'directive,osName' }, ['dimension must be one of', 'directive']],
  [
    'reports.values',
    'a dimension that the type lacks',
    { dimension: 'feature' },
    ['dimension: csp-violation', 'feature'],
  ],
  ['reports.values', 'one character', { contains: 'x' }, ['contains must be 2 to 64 characters']],
  ['reports.values', 'more values than 100', { limit: '101' }, ['limit must be an integer from 1 to 100']],
  [
    'issues.list',
    'no confidence, which every issue has',
    { 'confidence.any': ['high', ''] },
    ['confidence.any must be one of high, medium, low, suppressed, not ""'],
  ],
  ['reports.types', 'other series than true and false', { series: 'yes' }, ['series must be one of true, false']],
])('%s rejects %s by name', async (name, _, query, words) => {
  const { status, body } = await send(name, query)
  expect({ status, code: body.error?.code }).toEqual({ status: 400, code: 'bad_request' })
  for (const word of words) expect(body.error.message).toContain(word)
})

test.each<[string, Query]>([
  ['reports.count', {}],
  ['reports.histogram', {}],
  ['reports.histogram', { bucketSize: '1d' }],
  ['reports.grouped', { groupBy: 'browserName' }],
  ['reports.types', {}],
])('%s has the members of the contract alone for a request of the contract', async (name, query) => {
  for (const window of [{}, ends]) {
    const { status, body, text } = await send(name, { ...query, ...window })
    expect(status).toBe(200)
    expect(body).not.toHaveProperty('window')
    expect(text).not.toMatch(/"(partial|series|reportCounts|groupCount)"/)
  }
})

test('responses with and without additions are cached apart, though their window is the same', async () => {
  for (let times = 0; times < 3; times++) {
    for (const name of ['reports.count', 'reports.histogram', 'reports.grouped']) {
      const [plain, more] = [await send(name), await send(name, { last: '7d' })]
      expect(plain.body).not.toHaveProperty('window')
      expect(more.body).toHaveProperty('window')
    }
  }
})

test('a time zone is taken in any case and by its other names', async () => {
  const [one, ...others] = await Promise.all(
    ['Asia/Kolkata', 'Asia/Calcutta', 'asia/kolkata'].map((timeZone) =>
      send('reports.histogram', { ...ends, timeZone, bucketSize: '1d' }),
    ),
  )
  expect(one?.status).toBe(200)
  expect(one?.body.data.buckets[0].time).toMatch(/T18:30:00\.000Z$/)
  for (const { text } of others) expect(text).toBe(one?.text)
})

test('a histogram with series has at most 100,000 counts in them, for wider buckets', async () => {
  const window = { from: iso(moment - 6 * dayMs), to: iso(moment) }
  const sizeOf = async (query: Query) => {
    const { body } = await send('reports.histogram', { ...window, bucketSize: '1m', ...query })
    return [body.data.bucketSize, body.data.buckets.length]
  }
  expect(await sizeOf({})).toEqual(['1m', 8_641])
  expect(await sizeOf({ groupBy: 'directive' })).toEqual(['1m', 8_641])
  expect(await sizeOf({ groupBy: 'directive', top: '20' })).toEqual(['5m', 1_729])
})

test('the first of two series with as many reports is that of the lesser value; the rest is the last, without a value', async () => {
  const { body } = await send('reports.histogram', { ...ends, groupBy: 'browserName', top: '1' })
  const all = await send('reports.grouped', { ...ends, groupBy: 'browserName', limit: '1' })
  expect(body.data.series.map(({ value }: { value: string | null }) => value)).toEqual([
    ...all.body.data[0].values,
    null,
  ])
})
