import { afterAll, beforeAll, expect, test } from 'vitest'
import { dimensionsOf, reportTypeNames } from '../../schema/report-types.ts'
import { reportFieldNames } from '../../schema/responses/report.ts'
import { startApi, type TestApi } from '../support/api.ts'
import { sharedWorlds, type TestWorld } from '../support/contract.ts'
import { runsAgain } from '../support/number-of-cases.ts'
import { readPages } from '../support/read-pages.ts'

let api: TestApi
let world: TestWorld

beforeAll(async () => {
  api = await startApi()
  ;[world] = await sharedWorlds(api)
})
afterAll(() => api.close())

const fields: readonly string[] = reportFieldNames

test('a group of "" has the listed reports whose field is null or empty', async () => {
  const to = new Date().toISOString()
  const { key } = world
  let opened = 0
  const grouped = new Set<string>()
  for (const reportType of reportTypeNames) {
    const { data } = await readPages(api, key, '/v1/reports', { reportType, to, limit: 200 })
    for (const groupBy of dimensionsOf(reportType).filter((dimension) => fields.includes(dimension))) {
      // Where rows lie does not depend on the type.
      if (runsAgain && grouped.has(groupBy)) continue
      grouped.add(groupBy)
      const query = new URLSearchParams({ reportType, groupBy, to, limit: '100' })
      const { body } = await api.get(`/v1/reports/grouped?${query}`, { key })
      const group = body.data.find(({ values }: { values: string[] }) => values[0] === '')
      const missing = data.filter((report) => report[groupBy] === null || report[groupBy] === '')
      expect([reportType, groupBy, group?.reportCount ?? 0]).toEqual([reportType, groupBy, missing.length])
      if (group) opened++
    }
  }
  expect(opened).toBeGreaterThan(0)
})
