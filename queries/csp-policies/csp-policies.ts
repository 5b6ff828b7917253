import { z } from 'zod'
import { dayMs } from '../../schema/durations.ts'
import { dispositions } from '../../schema/enumerations.ts'
import type { PageMatch } from '../../schema/rules/scans/page-pattern.ts'
import type { ValueCondition } from '../../schema/value-filters.ts'
import { type Groups, type KeyedSlice, keyedSlices } from '../groups/keyed-slices.ts'
import {
  commonValue,
  groupTally,
  groupTallyRow,
  type Keyed,
  latestValue,
  queryLatest,
  selectGroups,
} from '../groups/select-groups.ts'
import { type GroupFilter, slicesWhere } from '../rollups/group-slices.ts'
import { unexpired } from '../rollups/table-slices.ts'
import { equals, matchesText } from '../sql/matches.ts'
import type { Query } from '../sql/query.ts'
import { rowBigSum, rowTime } from '../sql/rows.ts'
import { at, join, type Sql, sql, text, texts, uint, uint64, uuid } from '../sql/sql.ts'

export interface CspPolicyFilter extends GroupFilter {
  readonly siteId: string
  /** Every page if it is undefined. */
  readonly page: PageMatch | undefined
  /** Only policies quoted by reports of pages that meet all of these. */
  readonly pageConditions?: readonly ValueCondition[]
  /** Only policies that reports of this issue quote. */
  readonly issueKey?: bigint | undefined
}

/** Old Safari versions send no disposition, and only blocked loads. */
export const cspDisposition = sql`if(disposition = 'report', 'report', 'enforce')`

const cspPolicyGroups = (filter: CspPolicyFilter): Groups => ({
  filter,
  rollup: filter.issueKey === undefined ? 'reports_per_day_by_page' : undefined,
  conditions: [
    sql`report_type = 'csp-violation'`,
    sql`site_id = ${uuid(filter.siteId)}`,
    sql`policy_key != 0`,
    ...equals('issue_key', uint64, filter.issueKey),
  ],
  // policy_key leaves out nonces and the queries of report-uri.
  key: () => sql`if(disposition = 'report', bitNot(policy_key), policy_key)`,
})

/** The expression would read every page of the site; the primary key can use the prefix. */
export function cspPolicySlices(filter: CspPolicyFilter): KeyedSlice[] {
  const { pageConditions = [] } = filter
  const slices = pageConditions.reduce(
    (narrowed, condition) => slicesWhere(narrowed, ({ page }) => matchesText(page, condition)),
    keyedSlices(cspPolicyGroups(filter)),
  )
  if (!filter.page) return slices
  const [prefix, expression] = [text(filter.page.prefix), text(filter.page.expression)]
  return slicesWhere(slices, ({ page }) => sql`startsWith(${page}, ${prefix}) AND match(${page}, ${expression})`)
}

export const quotedPolicyRow = groupTallyRow.omit({ weight: true }).extend({ disposition: z.enum(dispositions) })

export type QuotedCspPolicy = z.infer<typeof quotedPolicyRow>

const { weight: _, ...tally } = groupTally
export const policyMeasures = { disposition: commonValue(() => cspDisposition), ...tally }

/** Last quoted first, before any are merged. */
export function listCspPolicies(filter: CspPolicyFilter, limit: number): Query<QuotedCspPolicy> {
  const policies = selectGroups(cspPolicySlices(filter), policyMeasures)
  return {
    name: 'listCspPolicies',
    statement: sql`${policies} ORDER BY lastSeen DESC, group_key LIMIT ${uint(limit)}`,
    row: quotedPolicyRow,
  }
}

const cspPolicyTextRow = z.object({ key: rowBigSum, policy: z.string() })

const measures = { policy: latestValue(sql`policy`) }

export const listCspPolicyTexts = (
  filter: CspPolicyFilter,
  policies: readonly (Keyed & { readonly lastSeen: string })[],
) => queryLatest({ name: 'listCspPolicyTexts', measures, row: cspPolicyTextRow }, cspPolicyGroups(filter), policies)

const policyKeyRow = z.object({ key: rowBigSum }) satisfies z.ZodType<Keyed>

/** Rule 51 of a text as stored; `idOfPolicy` computes the same. */
export const policyIdColumn = (disposition: Sql, policy: Sql): Sql => sql`
  arrayFilter(tokens -> notEmpty(tokens),
    arrayMap(part -> extractAll(part, '[^\\t\\n\\f\\r ]+'), splitByChar(';', lowerUTF8(${policy})))) AS written,
  arrayMap(tokens -> tokens[1], written) AS names,
  arraySort(tokens -> tokens[1],
    arrayFilter((tokens, at) -> indexOf(names, tokens[1]) = at, written, arrayEnumerate(written))) AS directives,
  arrayStringConcat(arrayMap(tokens -> arrayStringConcat(arrayConcat([tokens[1]], arrayDistinct(arrayMap(
    value -> multiIf(startsWith(value, '\\'nonce-'), '\\'nonce-*\\'',
      tokens[1] = 'report-uri' AND NOT startsWith(value, '\\''), replaceRegexpOne(value, '(?s)[?#].*', '?*'), value),
    arraySlice(tokens, 2)))), ' '),
    directives), '; ') AS comparable,
  substring(lower(hex(SHA256(concat(${disposition}, '\\n', comparable)))), 1, 32)`

/**
 * Keys of the quoted policies with one of the ids, among all policies of the window. Reads the latest report of each,
 * so as many rows as there are policies.
 */
export function findPolicyKeys(filter: CspPolicyFilter, ids: readonly string[]): Query<z.infer<typeof policyKeyRow>> {
  const { conditions } = cspPolicyGroups(filter)
  const latest = selectGroups(cspPolicySlices(filter), { lastSeen: groupTally.lastSeen })
  const where = join([sql`tenant_id = ${uuid(filter.tenantId)}`, ...conditions, ...unexpired(filter.window)], ' AND ')
  return {
    name: 'findPolicyKeys',
    statement: sql`
      SELECT DISTINCT toString(group_key) AS key
      FROM (
        SELECT if(disposition = 'report', bitNot(policy_key), policy_key) AS group_key, ${policyIdColumn(cspDisposition, sql`policy`)} AS id
        FROM (
          SELECT disposition, policy_key, argMax(policy, received_at) AS policy
          FROM reports
          WHERE ${where} AND received_at IN (SELECT lastSeen FROM (${latest}))
          GROUP BY disposition, policy_key))
      WHERE id IN ${texts(ids)}`,
    row: policyKeyRow,
  }
}

const newPolicySiteRow = z.object({
  siteId: z.string(),
  /** The site's first report that violates a policy. */
  firstSeen: rowTime,
})

const ofTenant = (tenantId: string): Sql => sql`tenant_id = ${uuid(tenantId)} AND report_type = 'csp-violation'`

/** Sites with reports since then that quote a new policy, at least a day after the site's first report. */
export const listNewPolicySites = (tenantId: string, since: Date): Query<z.infer<typeof newPolicySiteRow>> => ({
  name: 'listNewPolicySites',
  statement: sql`
    SELECT site_id AS siteId, min(first_at) AS firstSeen
    FROM (
      SELECT site_id, disposition, policy_key, min(first_seen_at) AS first_at
      FROM reports_per_day_by_page
      WHERE ${ofTenant(tenantId)} AND site_id IN (
        SELECT site_id
        FROM reports_per_day_by_page
        WHERE ${ofTenant(tenantId)} AND bucket >= ${at(new Date(since.getTime() - dayMs))})
      GROUP BY site_id, disposition, policy_key)
    GROUP BY siteId
    HAVING maxIf(first_at, policy_key != 0) >= greatest(${at(since)}, firstSeen + toIntervalDay(1))
    ORDER BY siteId`,
  row: newPolicySiteRow,
})
