import { z } from 'zod'
import { keyedSlices } from '../groups/keyed-slices.ts'
import { browserFamilies, selectGroups, slicesOfGroups } from '../groups/select-groups.ts'
import { affectedPages } from '../issues/issue-details.ts'
import { type IssueFilter, issueGroups, issueSenders } from '../issues/issues.ts'
import type { Query } from '../sql/query.ts'
import { rowBigSum, rowCount, rowIntegers, rowTexts } from '../sql/rows.ts'
import { sql, uint } from '../sql/sql.ts'
import { type CspSourceFilter, countColumns, fromCspSources, sourceColumns } from './csp-sources.ts'

const cspSourceDetailRow = z
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
): Query<z.infer<typeof cspSourceDetailRow>>[] {
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
      row: cspSourceDetailRow,
    },
  ]
}

const cspSourceExampleRow = z.object({
  directive: z.string(),
  source: z.string(),
  detail: z.string(),
  isDetailCut: z.boolean(),
  weight: rowBigSum,
})

export type CspSourceExample = z.infer<typeof cspSourceExampleRow>

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
      row: cspSourceExampleRow,
    },
  ]
}

const cspEvidenceRow = z.object({
  key: rowBigSum,
  reportCount: rowCount,
  noiseCount: rowCount,
  affectedPages: rowCount,
  browsers: z.array(z.string()),
})

/** Pages and browsers of a site's sources. @param keys of issues. */
export function listCspEvidence(
  filter: Omit<IssueFilter, 'reportTypes'>,
  keys: readonly bigint[],
): Query<z.infer<typeof cspEvidenceRow>>[] {
  if (keys.length === 0) return []
  const { reportCount, noiseCount } = issueSenders
  const measures = { reportCount, noiseCount, affectedPages, browsers: browserFamilies }
  const slices = keyedSlices(issueGroups({ ...filter, reportTypes: ['csp-violation'] }))
  const issues = keys.map((key) => ({ key }))
  return [
    { name: 'listCspEvidence', statement: selectGroups(slicesOfGroups(slices, issues), measures), row: cspEvidenceRow },
  ]
}
