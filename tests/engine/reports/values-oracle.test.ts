import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DimensionName } from '../../../schema/dimensions.ts'
import { dimensionValue } from '../../oracles/oracle-parts.ts'
import {
  now,
  type OracleWorld,
  retentionFrom,
  runs,
  startOracleWorld,
  windowParams,
} from '../../oracles/oracle-world.ts'
import { matching } from '../../oracles/report-oracle.ts'
import { oracleValues } from '../../oracles/values-oracle.ts'
import { queryText } from '../../support/query-text.ts'
import { partsOf, reportRequest } from '../../support/report-requests.ts'

let world: OracleWorld

beforeAll(async () => {
  world = await startOracleWorld({ count: 5_000, siteCount: 3 })
})

afterAll(() => world?.api.close())

async function valuesOf(params: Parameters<typeof queryText>[0]) {
  const { status, body } = await world.api.get(`/v1/reports/values?${queryText(params)}`, { key: world.key })
  expect(body).not.toHaveProperty('error')
  expect(status).toBe(200)
  return body
}

/** A request, and a part of one of its dimension's values, often. */
const requests = () =>
  reportRequest(world.rows, retentionFrom, now, 31).chain((request) => {
    const [first] = request.groupBy as [DimensionName]
    const ofType = world.rows.filter(({ reportType }) => reportType === request.reportType)
    return fc.constantFrom(first, first, first, 'page' as const).chain((dimension) => {
      const stored = new Set(ofType.map((row) => dimensionValue(row, dimension)))
      const contains = fc.option(partsOf([...stored]), { freq: 2, nil: undefined })
      return contains.map((part) => ({ ...request, dimension, contains: part }))
    })
  })

test('the values of a dimension agree with the oracle', async () => {
  await fc.assert(
    fc.asyncProperty(requests(), async ({ reportType, filters, window, dimension, contains, limit }) => {
      const found = matching(world.rows, window, reportType, filters)
      const params = { reportType, ...filters, ...windowParams(window), dimension, limit: String(limit) }
      expect(await valuesOf({ ...params, ...(contains !== undefined && { contains }) })).toEqual(
        oracleValues(found, dimension, contains, limit),
      )
    }),
    runs(80),
  )
})

test('there are 20 values by default', async () => {
  const window = { from: now - 31 * 86_400_000, to: now }
  const found = matching(world.rows, window, 'csp-violation', {})
  expect(await valuesOf({ ...windowParams(window), dimension: 'blockedHost' })).toEqual(
    oracleValues(found, 'blockedHost', undefined, 20),
  )
})
