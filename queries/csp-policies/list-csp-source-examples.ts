import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { rowBigSum } from '../sql/rows.ts'
import { sql, uint } from '../sql/sql.ts'
import { type CspSourceFilter, fromCspSources } from './from-csp-sources.ts'

const row = z.object({
  directive: z.string(),
  source: z.string(),
  detail: z.string(),
  isDetailCut: z.boolean(),
  weight: rowBigSum,
})

export type CspSourceExample = z.infer<typeof row>

/** Limit per directive and source, and the same number of long ones. */
const maxExamples = 20

/** Most frequent paths and samples, for any policy; no query without sources. */
export function listCspSourceExamples(
  filter: CspSourceFilter & { readonly sources: readonly string[] },
): Query<CspSourceExample>[] {
  if (filter.sources.length === 0) return []
  const columns = sql`directive, source, detail, is_detail_cut`
  // Code of fewer than 40 characters is complete, and has a hash: longer code must not displace it.
  return [
    {
      name: 'listCspSourceExamples',
      statement: sql`
        SELECT directive, source, detail, is_detail_cut::Bool AS isDetailCut, toString(sum(weights)) AS weight
        ${fromCspSources(filter, columns)}
        WHERE detail != ''
        GROUP BY ${columns}
        ORDER BY sum(weights) DESC, ${columns}
        LIMIT ${uint(maxExamples)} BY directive, source, lengthUTF8(detail) < 40`,
      row,
    },
  ]
}
