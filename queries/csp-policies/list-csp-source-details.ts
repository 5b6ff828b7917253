import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { rowBigSum, rowCount } from '../sql/rows.ts'
import { sql, uint } from '../sql/sql.ts'
import { type CspSourceFilter, fromCspSources } from './from-csp-sources.ts'

const row = z.object({
  directive: z.string(),
  source: z.string(),
  self: z.enum(['origin', 'upgrade', 'other', '']),
  pageScheme: z.enum(['http', 'https', '']),
  policyKey: z.string(),
  detail: z.string(),
  isDetailCut: z.boolean(),
  reportCount: rowCount,
  weight: rowBigSum,
  noiseCount: rowCount,
})

export type CspSourceDetail = z.infer<typeof row>

/** Sources of one read. */
export const maxDetailedSources = 200

/** Inline code that differs from visit to visit has as many samples as reports. */
const maxDetails = 20_000

/** Paths and samples of sources, largest weight first; no query without sources. */
export function listCspSourceDetails(
  filter: CspSourceFilter & { readonly sources: readonly string[] },
): Query<CspSourceDetail>[] {
  if (filter.sources.length === 0) return []
  const columns = sql`directive, source, self, page_scheme, policy_key, detail, is_detail_cut`
  return [
    {
      name: 'listCspSourceDetails',
      statement: sql`
        SELECT directive, source, self, page_scheme AS pageScheme, toString(policy_key) AS policyKey, detail,
          is_detail_cut::Bool AS isDetailCut, sum(reports) AS reportCount, toString(sum(weights)) AS weight,
          sum(noises) AS noiseCount
        ${fromCspSources(filter, columns)}
        GROUP BY ${columns}
        ORDER BY sum(weights) DESC, ${columns}
        LIMIT ${uint(maxDetails)}`,
      row,
    },
  ]
}
