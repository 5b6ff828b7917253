import { z } from 'zod'
import { parseRequest } from '../../schema/rules/csp/judge-request.ts'
import { sourceKey } from '../../schema/rules/csp/judge-sources.ts'
import { keysOf } from '../scripts/violating-scripts.ts'
import type { Query } from '../sql/query.ts'
import { rowBigSum, rowCount, rowDigits, rowTime } from '../sql/rows.ts'
import { sql, uint } from '../sql/sql.ts'
import { countColumns, sourceColumns } from './csp-source-row.ts'
import { type CspSourceFilter, fromCspSources } from './from-csp-sources.ts'

const row = z
  .object({
    ...sourceColumns,
    /** Up to 200. */
    policyKeys: rowDigits,
    ...countColumns,
    firstSeen: rowTime,
    lastSeen: rowTime,
    totalReportCount: rowCount,
    totalWeight: rowBigSum,
  })
  .transform(({ directive, source, self, pageScheme, ...read }) => ({
    ...parseRequest({ directive, source, self, pageScheme, detail: undefined, isDetailCut: false }),
    key: sourceKey({ directive, source }),
    quotes: read.policyKeys.map((policyKey, index) => ({
      policyKey,
      reportCount: read.reportCounts[index] ?? 0,
      weight: read.weightSums[index] ?? 0n,
      noiseCount: read.noiseCounts[index] ?? 0,
    })),
    firstSeen: read.firstSeen,
    lastSeen: read.lastSeen,
    totalReportCount: read.totalReportCount,
    totalWeight: read.totalWeight,
  }))

export type CspSource = z.infer<typeof row>

/** Rows of one read: 69 ms and 15 MB of the largest site of 10 million reports. */
const maxCspSources = 5_000

/** A tenth of the longest statement that ClickHouse accepts. */
const maxKnown = 1_000

/** Known sources first, so that a flood does not displace them, then the largest weight. Each row has the totals of all. */
export function listCspSources(filter: CspSourceFilter, known: readonly string[] = []): Query<CspSource> {
  const keys = sql`directive, source, self, page_scheme`
  const byPolicy = sql`${keys}, policy_key`
  return {
    name: 'listCspSources',
    statement: sql`
      SELECT directive, source, self, page_scheme AS pageScheme,
        groupArray(toString(policy_key)) AS policyKeys, groupArray(reports) AS reportCounts,
        groupArray(toString(weights)) AS weightSums, groupArray(noises) AS noiseCounts,
        min(first_at) AS firstSeen, max(last_at) AS lastSeen,
        sum(sum(reports)) OVER () AS totalReportCount,
        toString(sum(sum(weights)) OVER ()) AS totalWeight
      FROM (
        SELECT ${byPolicy}, sum(reports) AS reports, sum(weights) AS weights, sum(noises) AS noises,
          min(first_at) AS first_at, max(last_at) AS last_at
        ${fromCspSources(filter, byPolicy)}
        GROUP BY ${byPolicy})
      GROUP BY ${keys}
      ORDER BY halfMD5(source) IN ${keysOf(known.slice(0, maxKnown))} DESC, sum(weights) DESC, ${keys}
      LIMIT ${uint(maxCspSources)}`,
    row,
  }
}
