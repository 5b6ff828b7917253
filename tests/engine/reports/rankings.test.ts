import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { Ranking } from '../../../queries/reports/group-reports.ts'
import { areLargest, groupHashes, rankHashes } from '../../../queries/reports/values.ts'
import type { CountSlice } from '../../../queries/rollups/count-slices.ts'
import { sql, uint } from '../../../queries/sql/sql.ts'
import type { DimensionName } from '../../../schema/dimensions.ts'
import { dayMs } from '../../../schema/durations.ts'
import { trendPercent } from '../../../schema/rules/trend-percent.ts'
import {
  now,
  type OracleWorld,
  retentionFrom,
  runs,
  startOracleWorld,
  windowParams,
} from '../../oracles/oracle-world.ts'
import { oracleGrouped } from '../../oracles/report-oracle.ts'
import { connectPatiently } from '../../support/patience.ts'

let world: OracleWorld

/** Not aligned with any bucket. */
const window = { from: now - 20 * dayMs - 7, to: now - 7 }
const previous = { from: now - 40 * dayMs - 14, to: window.from }

/** Ordered otherwise by UTF-16 than by bytes. */
const firstLetters = ['\u{ff5e}', '\u{1f600}', 'a']

beforeAll(async () => {
  world = await startOracleWorld({
    count: 4_000,
    siteCount: 1,
    reportTypes: ['csp-violation'],
    change: (row, index) => {
      const letter = `${firstLetters[index % 3]}`
      // Half of the reports have hosts that few others have, for many ties.
      const host = index % 2 === 0 ? row.documentHost : `${letter}${index % 500}.test`
      return [{ ...row, directive: `${letter}${index % 2_000}`, osName: letter, documentHost: host }]
    },
  })
})

afterAll(() => world?.api.close())

const expected = (groupBy: readonly DimensionName[], limit: number) =>
  oracleGrouped(world.rows, window, retentionFrom, 'csp-violation', {}, groupBy, limit)

describe('the API agrees with the oracle', () => {
  test.each<[string, readonly DimensionName[]]>([
    ['few values', ['osName', 'disposition']],
    ['a dimension of few values that has 2,000', ['directive']],
    ['both hosts', ['documentHost', 'blockedHost']],
    ['both hosts the other way round', ['blockedHost', 'documentHost']],
  ])('on a ranking by %s of every length', async (_, groupBy) => {
    const { api, key } = world
    for (const limit of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 50, 100]) {
      const query = new URLSearchParams({ ...windowParams(window), groupBy: groupBy.join(), limit: String(limit) })
      const { body } = await api.get(`/v1/reports/grouped?${query}`, { key })
      expect(body.data).toEqual(expected(groupBy, limit))
    }
  })
})

test('a ranking by colliding hashes is exact, or known not to be', async () => {
  const reader = connectPatiently(inject('servers').readUrl)
  const outcomes = { exact: 0, tied: 0, collided: 0 }
  const hashes = fc.record({ modulus: fc.constantFrom(16, 64, 256, 100_000), limit: fc.integer({ min: 1, max: 100 }) })
  await fc.assert(
    fc.asyncProperty(hashes, async ({ modulus, limit }) => {
      const hashOf = ({ column }: CountSlice) =>
        sql`cityHash64(${column('documentHost')}, ${column('blockedHost')}) % ${uint(modulus)}`
      const ranking: Ranking = {
        tenantId: world.tenantId,
        reportType: 'csp-violation',
        terms: [],
        groupBy: ['documentHost', 'blockedHost'],
        window,
        previous,
        limit,
      }
      const ranked = await reader.read(rankHashes(ranking, hashOf))
      if (!areLargest(ranked, ranked, ranking)) return void outcomes.tied++
      const groups = await reader.read(groupHashes(ranking, ranked, hashOf))
      if (!areLargest(groups, ranked, ranking)) return void outcomes.collided++
      outcomes.exact++
      const data = groups.map(({ previousCount, ...group }) => ({
        ...group,
        trendPercent: trendPercent(group.reportCount, previousCount),
      }))
      expect(data).toEqual(expected(ranking.groupBy, limit))
    }),
    runs(100),
  )
  await reader.close()
  expect(Math.min(...Object.values(outcomes))).toBeGreaterThan(5)
})
