/**
 * @module Sources of CSP violations. At the edges of windows raw rows have the columns of the view
 * reports_per_day_by_source_mv by the same expressions.
 */

import { z } from 'zod'
import type { dispositions } from '../../schema/enumerations.ts'
import { parseRequest } from '../../schema/rules/csp/judge-request.ts'
import { sourceKey } from '../../schema/rules/csp/judge-sources.ts'
import { type GroupFilter, groupSlices } from '../rollups/group-slices.ts'
import { halfMd5s } from '../sql/matches.ts'
import type { Query } from '../sql/query.ts'
import { rowBigSum, rowBigSums, rowCount, rowDigits, rowIntegers, rowTime } from '../sql/rows.ts'
import { empty, join, type Sql, sql, text, texts, uint, uint64s, uuid } from '../sql/sql.ts'
import { cspDisposition } from './csp-policies.ts'

const pageParts = sql`
  lower(extract(document_url, '^\\\\s*([a-zA-Z][a-zA-Z0-9+.-]*):')) AS scheme,
  extract(document_url, '^\\\\s*[a-zA-Z][a-zA-Z0-9+.-]*:[/\\\\\\\\]*([^/\\\\\\\\?#]*)') AS authority,
  transform(scheme, ['http', 'https'], [80, 443], 0) AS own_port,
  toUInt32OrZero(extract(authority, ':([0-9]{1,6})$')) AS written_port,
  if(written_port = 0, own_port, written_port) AS port`

const blockedParts = sql`
  extract(blocked_origin, '^([a-z]+):') AS blocked_scheme,
  transform(blocked_scheme, ['http', 'https', 'ws', 'wss'], [80, 443, 80, 443], 0) AS blocked_own_port,
  toUInt32OrZero(extract(blocked_origin, ':([0-9]{1,6})$')) AS blocked_written_port,
  if(blocked_written_port = 0, blocked_own_port, blocked_written_port) AS blocked_port,
  if(blocked_origin = '', sample, extract(blocked_url, '^[^:/?#]*://[^/?#]*(/[^?#]*)')) AS full_detail,
  if(blocked_origin = '', sample, extract(full_detail, '^((?:/[^/]*){0,3}/?)')) AS start_of_detail`

const relation = sql`
  blocked_scheme IN ('https', 'wss') OR (scheme = 'http' AND blocked_scheme = 'ws') AS is_secure,
  port = blocked_port OR (port = own_port AND blocked_port = blocked_own_port) AS is_same_port,
  multiIf(
    document_host = '' OR blocked_origin = '', '',
    document_host != blocked_host, 'other',
    scheme = blocked_scheme AND port = blocked_port, 'origin',
    is_secure AND is_same_port, 'upgrade',
    'other') AS self`

/** Prefix for a SELECT FROM reports. */
const withSourceColumns: Sql = sql`
  WITH ${pageParts}, ${blockedParts}, ${relation},
  toString(if(blocked_origin = '', blocked_host, blocked_origin)) AS source,
  if(document_host != '' AND scheme IN ('http', 'https'), scheme, '') AS page_scheme,
  substringUTF8(start_of_detail, 1, 100) AS detail,
  detail != full_detail AS is_detail_cut`

export const sourceColumns = {
  directive: z.string(),
  source: z.string(),
  self: z.enum(['origin', 'upgrade', 'other', '']),
  pageScheme: z.enum(['http', 'https', '']),
}

/**
 * Counts of several policies or details in one row. Arrays of objects take four times as long to check, and spreading
 * an object for each of 60,000 rows takes 15 ms more.
 */
export const countColumns = { reportCounts: rowIntegers, weightSums: rowBigSums, noiseCounts: rowIntegers }

export interface CspSourceFilter extends GroupFilter {
  readonly siteId: string
  /** Only reports that quote one of these policies. */
  readonly policyKeys?: readonly bigint[] | undefined
  readonly disposition?: (typeof dispositions)[number] | undefined
  /** Uses the primary key, with `bucket` before it and `sources` after it. */
  readonly directives?: readonly string[] | undefined
  /** Origins, keywords and schemes. */
  readonly sources?: readonly string[] | undefined
}

const ofRollup = sql`
  report_count AS reports, weight AS weights, noise_count AS noises, first_seen_at AS first_at, last_seen_at AS last_at`

const ofReports = sql`
  1 AS reports, weight AS weights, toUInt64(noise) AS noises, received_at AS first_at, received_at AS last_at`

/** `FROM (SELECT …)` of rollup rows and raw reports: these columns and the measures, which the caller sums. */
export function fromCspSources(filter: CspSourceFilter, columns: Sql): Sql {
  const { siteId, policyKeys, disposition, directives, sources } = filter
  const conditions = [
    sql`report_type = 'csp-violation'`,
    sql`site_id = ${uuid(siteId)}`,
    ...(policyKeys ? [sql`policy_key IN ${uint64s(policyKeys)}`] : []),
    ...(directives ? [sql`directive IN ${texts(directives)}`] : []),
    ...(disposition ? [sql`${cspDisposition} = ${text(disposition)}`] : []),
  ]
  const ofSources = sources ? sql` AND source IN ${texts(sources)}` : empty
  // ClickHouse applies the WITH of a first SELECT to the others too; raw rows are the last.
  const selects = groupSlices('reports_per_day_by_source', filter, conditions).map(({ isRaw, from }) => {
    const [withColumns, measures] = isRaw ? [withSourceColumns, ofReports] : [empty, ofRollup]
    return sql`${withColumns} SELECT ${columns}, ${measures} ${from}${ofSources}`
  })
  return sql`FROM (${join(selects, ' UNION ALL ')})`
}

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

/** Rows of one read: 69 ms and 15 MB for the largest site among 10 million reports. */
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
      ORDER BY halfMD5(source) IN ${halfMd5s(known.slice(0, maxKnown))} DESC, sum(weights) DESC, ${keys}
      LIMIT ${uint(maxCspSources)}`,
    row,
  }
}
