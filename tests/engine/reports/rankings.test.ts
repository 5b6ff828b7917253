import { afterAll, beforeAll, expect, test } from 'vitest'
import { dayMs } from '../../../schema/durations.ts'
import { now, type OracleWorld, retentionFrom, startOracleWorld, windowParams } from '../../oracles/oracle-world.ts'
import { oracleGrouped } from '../../oracles/report-oracle.ts'

let world: OracleWorld

/** Not aligned with any bucket. */
const window = { from: now - 20 * dayMs - 7, to: now - 7 }

/** Ordered otherwise by UTF-16 than by bytes. */
const firstLetters = ['\u{ff5e}', '\u{1f600}', 'a']

beforeAll(async () => {
  world = await startOracleWorld({
    count: 4_000,
    siteCount: 1,
    reportTypes: ['csp-violation'],
    change: (row, index) => [
      { ...row, directive: `${firstLetters[index % 3]}${index % 2_000}`, osName: `${firstLetters[index % 3]}` },
    ],
  })
})

afterAll(() => world?.api.close())

test.each([
  ['few values', ['osName', 'disposition']],
  ['a dimension that should have few values and has 2,000', ['directive']],
] as const)('a ranking of %s has its ties in the order of bytes', async (_, groupBy) => {
  const { api, key, rows } = world
  const query = new URLSearchParams({ ...windowParams(window), groupBy: groupBy.join(), limit: '100' })
  const { body } = await api.get(`/v1/reports/grouped?${query}`, { key })
  expect(body.data).toEqual(oracleGrouped(rows, window, retentionFrom, 'csp-violation', {}, groupBy, 100))
})
