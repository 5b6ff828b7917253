import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dimensionValue } from '../../oracles/oracle-parts.ts'
import {
  now,
  type OracleWorld,
  retentionFrom,
  runs,
  startOracleWorld,
  windowParams,
  windows,
} from '../../oracles/oracle-world.ts'
import { matching, oracleGrouped } from '../../oracles/report-oracle.ts'
import { oracleTypeParts } from '../../oracles/type-parts-oracle.ts'
import { queryText } from '../../support/query-text.ts'
import { everyTypeFilters, reportRequest } from '../../support/report-requests.ts'

let world: OracleWorld

beforeAll(async () => {
  world = await startOracleWorld({ count: 5_000, siteCount: 3 })
})

afterAll(() => world?.api.close())

async function send(path: string, params: Parameters<typeof queryText>[0]) {
  const { status, body } = await world.api.get(`${path}?${queryText(params)}`, { key: world.key })
  expect(body).not.toHaveProperty('error')
  expect(status).toBe(200)
  return body
}

test('a ranking with its total agrees with the oracle', async () => {
  const { rows } = world
  await fc.assert(
    fc.asyncProperty(reportRequest(rows, retentionFrom, now, 31), async (one) => {
      const { reportType, filters, window, groupBy, limit } = one
      const params = { reportType, ...filters, ...windowParams(window), groupBy: groupBy.join(), limit: String(limit) }
      const found = matching(rows, window, reportType, filters)
      const groups = new Set(
        found.map((row) => JSON.stringify(groupBy.map((dimension) => dimensionValue(row, dimension)))),
      )
      expect(await send('/v1/reports/grouped', { ...params, total: 'true' })).toEqual({
        groupBy,
        data: oracleGrouped(rows, window, retentionFrom, reportType, filters, groupBy, limit),
        groupCount: groups.size,
        window: windowParams(window),
      })
    }),
    runs(40),
  )
})

test('types with their course agree with the oracle', async () => {
  const { rows } = world
  const shortest = fc.integer({ min: 1, max: 40 }).map((length) => ({ from: now - length - 5_000, to: now - 5_000 }))
  const anyWindow = fc.oneof({ weight: 9, arbitrary: windows }, { weight: 1, arbitrary: shortest })
  await fc.assert(
    fc.asyncProperty(anyWindow, everyTypeFilters(rows), async (window, filters) => {
      expect(await send('/v1/reports/types', { ...windowParams(window), ...filters, series: 'true' })).toEqual({
        data: oracleTypeParts(rows, window, retentionFrom, filters),
      })
    }),
    runs(40),
  )
})
