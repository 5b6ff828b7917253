import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { rowIntegers, rowTexts } from '../sql/rows.ts'
import { sql, uint } from '../sql/sql.ts'
import { countColumns, sourceColumns } from './csp-source-row.ts'
import { type CspSourceFilter, fromCspSources } from './from-csp-sources.ts'

const row = z
  .object({
    ...sourceColumns,
    policyKey: z.string(),
    texts: rowTexts,
    cut: rowIntegers,
    ...countColumns,
  })
  .transform(({ texts, cut, reportCounts, weightSums, noiseCounts, ...group }) => ({
    ...group,
    details: texts.map((detail, index) => ({
      detail,
      isDetailCut: cut[index] === 1,
      reportCount: reportCounts[index] ?? 0,
      weight: weightSums[index] ?? 0n,
      noiseCount: noiseCounts[index] ?? 0,
    })),
  }))

/** Sources of one read. */
export const maxDetailedSources = 200

/** Inline code that differs from visit to visit has as many samples as reports. */
const maxDetails = 20_000

/** Paths and samples of sources, largest weight first; no query without sources. */
export function listCspSourceDetails(
  filter: CspSourceFilter & { readonly sources: readonly string[] },
): Query<z.infer<typeof row>>[] {
  if (filter.sources.length === 0) return []
  const ofPolicy = sql`directive, source, self, page_scheme, policy_key`
  const columns = sql`${ofPolicy}, detail, is_detail_cut`
  return [
    {
      name: 'listCspSourceDetails',
      statement: sql`
        SELECT directive, source, self, page_scheme AS pageScheme, toString(policy_key) AS policyKey,
          groupArray(detail) AS texts, groupArray(toUInt8(is_detail_cut)) AS cut, groupArray(reports) AS reportCounts,
          groupArray(toString(weights)) AS weightSums, groupArray(noises) AS noiseCounts
        FROM (
          SELECT ${columns}, sum(reports) AS reports, sum(weights) AS weights, sum(noises) AS noises
          ${fromCspSources(filter, columns)}
          GROUP BY ${columns}
          ORDER BY weights DESC, ${columns}
          LIMIT ${uint(maxDetails)})
        GROUP BY ${ofPolicy}`,
      row,
    },
  ]
}
