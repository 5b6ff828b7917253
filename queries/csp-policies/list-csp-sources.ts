import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { rowBigSum, rowCount, rowTime } from '../sql/rows.ts'
import { sql, uint } from '../sql/sql.ts'
import { type CspSourceFilter, cspSourceRows } from './csp-source-rows.ts'

/** Policy and the reports that quote it: key, reports, weight, noise. */
const quote = z
  .tuple([rowBigSum, rowCount, rowBigSum, rowCount])
  .transform(([policyKey, reportCount, weight, noiseCount]) => ({ policyKey, reportCount, weight, noiseCount }))

const row = z.object({
  directive: z.string(),
  source: z.string(),
  self: z.enum(['origin', 'upgrade', 'other', '']),
  pageScheme: z.enum(['http', 'https', '']),
  quotes: z.array(quote),
  firstSeen: rowTime,
  lastSeen: rowTime,
  totalReportCount: rowCount,
  totalWeight: rowBigSum,
})

export type CspSource = z.infer<typeof row>

/** Rows of one read: 69 ms and 15 MB of the largest site of 10 million reports. */
const maxCspSources = 5_000

/** Largest weight first; each row has the totals of all. */
export function listCspSources(filter: CspSourceFilter): Query<CspSource> {
  const keys = sql`directive, source, self, page_scheme`
  const byPolicy = sql`${keys}, policy_key`
  return {
    name: 'listCspSources',
    statement: sql`
      SELECT directive, source, self, page_scheme AS pageScheme,
        arraySort(groupArray((toString(policy_key), reports, toString(weights), noises))) AS quotes,
        min(first_at) AS firstSeen, max(last_at) AS lastSeen,
        sum(sum(reports)) OVER () AS totalReportCount,
        toString(sum(sum(weights)) OVER ()) AS totalWeight
      FROM (
        SELECT ${byPolicy}, sum(reports) AS reports, sum(weights) AS weights, sum(noises) AS noises,
          min(first_at) AS first_at, max(last_at) AS last_at
        FROM ${cspSourceRows(filter, byPolicy)}
        GROUP BY ${byPolicy})
      GROUP BY ${keys}
      ORDER BY sum(weights) DESC, ${keys}
      LIMIT ${uint(maxCspSources)}`,
    row,
  }
}
