import { z } from 'zod'
import { moreHeaders, scanGrades, scanStatuses, type WatchedHeader, watchedHeaders } from '../../schema/enumerations.ts'
import { Problem } from '../../schema/problems.ts'
import type { ListedScan, Scan, ScanChanges } from '../../schema/responses/scan.ts'
import { type ComparableScan, noChanges, scanChanges } from '../../schema/rules/scans/scan-changes.ts'
import type { Query, Reader } from '../sql/query.ts'
import { chunksOf, rowCount, rowJson, rowTime } from '../sql/rows.ts'
import { at, type Sql, sql, uuid, uuids } from '../sql/sql.ts'
import type { ScanRef } from './scan-refs.ts'

export interface StoredScan extends Omit<ListedScan, 'consecutiveFailures' | 'changes'> {
  /** Headers of `moreHeaders` that the scan recorded. */
  readonly moreHeaders: ComparableScan['headers']
}

function watched(sent: Readonly<Record<string, string>>): Record<WatchedHeader, string | null> {
  const entries = watchedHeaders.map((header) => [header, sent[header] ?? null] as const)
  return Object.fromEntries(entries) as Record<WatchedHeader, string | null>
}

const recorded = (values: Readonly<Record<string, string>>): ComparableScan['headers'] =>
  Object.fromEntries(moreHeaders.flatMap((header) => (header in values ? [[header, values[header] || null]] : [])))

const scanRow: z.ZodType<StoredScan> = z
  .object({
    id: z.string(),
    pageId: z.string(),
    scannedAt: rowTime,
    scanUrl: z.string(),
    status: z.enum(scanStatuses),
    failureReason: z.string().nullable(),
    failureMessage: z.string().nullable(),
    rubricVersion: rowCount,
    grade: z.enum(scanGrades).nullable(),
    score: rowCount.nullable(),
    finalUrl: z.string().nullable(),
    statusCode: rowCount.nullable(),
    headers: z.record(z.string(), z.string()).transform(watched),
    moreHeaders: z.record(z.string(), z.string()).transform(recorded),
  })
  .transform((scan) => (scan.status === 'complete' ? scan : { ...scan, score: null, headers: null }))

/** A tenth of the longest request line that ClickHouse accepts. */
const maxScansPerQuery = 500

/** Scans in no order, without result and scripts; queries to run concurrently. */
export function listScans(
  tenantId: string,
  refs: readonly Pick<ScanRef, 'pageId' | 'id' | 'scannedAt'>[],
): Query<StoredScan>[] {
  return chunksOf(refs, maxScansPerQuery).map((some) => listSome(tenantId, some))
}

function listSome(tenantId: string, refs: Parameters<typeof listScans>[1]): Query<StoredScan> {
  const pageIds = [...new Set(refs.map(({ pageId }) => pageId))]
  const moments = refs.map(({ scannedAt }) => Date.parse(scannedAt))
  const [first, last] = [new Date(Math.min(...moments)), new Date(Math.max(...moments))]
  return {
    name: 'listScans',
    // The primary key can use pages and time.
    statement: sql`
      SELECT id, page_id AS pageId, scanned_at AS scannedAt, scan_url AS scanUrl, status,
        nullIf(failure_reason, '') AS failureReason, nullIf(failure_message, '') AS failureMessage,
        rubric_version AS rubricVersion, nullIf(grade, '') AS grade, score, nullIf(final_url, '') AS finalUrl,
        nullIf(status_code, 0) AS statusCode, headers, more_headers AS moreHeaders
      FROM page_scans FINAL
      WHERE tenant_id = ${uuid(tenantId)} AND page_id IN ${uuids(pageIds)}
        AND scanned_at BETWEEN ${at(first)} AND ${at(last)} AND page_scans.id IN ${uuids(refs.map(({ id }) => id))}`,
    row: scanRow,
  }
}

export type ScanDetails = Pick<Scan, 'result' | 'scripts'>

const scanDetailRow: z.ZodType<ScanDetails> = z.object({
  result: rowJson(z.custom<Scan['result']>(), 'null'),
  scripts: rowJson(z.custom<Scan['scripts']>(), 'null'),
})

/** One row or none; scripts are null without `withScripts`. */
export function findScanDetails(
  tenantId: string,
  { pageId, id, scannedAt }: Pick<ScanRef, 'pageId' | 'id' | 'scannedAt'>,
  withScripts: boolean,
): Query<ScanDetails> {
  return {
    name: 'findScanDetails',
    statement: sql`
      SELECT result, ${withScripts ? sql`scripts` : sql`'' AS scripts`}
      FROM page_scans FINAL
      WHERE tenant_id = ${uuid(tenantId)} AND page_id = ${uuid(pageId)} AND scanned_at = ${at(new Date(scannedAt))}
        AND id = ${uuid(id)}`,
    row: scanDetailRow,
  }
}

const scanVersionRow = z.object({ rows: rowCount, updatedAt: rowTime })

/** Changes with every scan that is stored, and sometimes without one. */
export const findScanVersion = (tenantId: string): Query<z.infer<typeof scanVersionRow>> => ({
  name: 'findScanVersion',
  statement: sql`
    SELECT count() AS rows, max(updated_at) AS updatedAt
    FROM page_scans
    WHERE tenant_id = ${uuid(tenantId)}`,
  row: scanVersionRow,
})

const pageScanRow = z.object({ pageId: z.string(), complete: rowCount, failed: rowCount })

/** @param pages a SELECT of their ids. */
export const countPageScans = (tenantId: string, pages: Sql, since: Date): Query<z.infer<typeof pageScanRow>> => ({
  name: 'countPageScans',
  statement: sql`
    SELECT page_id AS pageId, countIf(status = 'complete') AS complete, countIf(status = 'failed') AS failed
    FROM page_scans FINAL
    WHERE tenant_id = ${uuid(tenantId)} AND page_id IN ${pages} AND scanned_at >= ${at(since)}
    GROUP BY page_id`,
  row: pageScanRow,
})

const weekRow = z.object({ week: z.string(), pages: rowCount, complete: rowCount, failed: rowCount })

export type ScanWeek = z.infer<typeof weekRow>

/** Scans per week with any, by its Monday in UTC. @param pages a SELECT of their ids. */
export const countScansPerWeek = (tenantId: string, pages: Sql, since: Date): Query<ScanWeek> => ({
  name: 'countScansPerWeek',
  statement: sql`
    SELECT toString(toMonday(scanned_at)) AS week, uniqExactIf(page_id, status = 'complete') AS pages,
      countIf(status = 'complete') AS complete, countIf(status = 'failed') AS failed
    FROM page_scans FINAL
    WHERE tenant_id = ${uuid(tenantId)} AND page_id IN ${pages} AND scanned_at >= ${at(since)}
    GROUP BY week
    ORDER BY week`,
  row: weekRow,
})

/** Scans in the order of `refs`, each with its changes since the last complete scan before it. */
export async function readScans(
  readAll: Reader['readAll'],
  tenantId: string,
  refs: readonly ScanRef[],
): Promise<ListedScan[]> {
  const needed = new Map(refs.flatMap(withCompared).map((ref) => [ref.id, ref]))
  const found = await readAll(listScans(tenantId, [...needed.values()]))
  const scanOf = new Map(found.map((scan) => [scan.id, scan]))
  return refs.map(({ id, consecutiveFailures, comparedId }) => {
    const scan = scanOf.get(id)
    const compared = scanOf.get(comparedId)
    // Another replica can be behind the replica that returned the refs.
    if (!scan || (comparedId !== '' && !compared)) throw new Problem('upstream_unavailable')
    const { moreHeaders: _, ...listed } = scan
    return { ...listed, consecutiveFailures, changes: changesSince(compared, scan) }
  })
}

function withCompared({ pageId, id, scannedAt, comparedId, comparedAt }: ScanRef) {
  const own = { pageId, id, scannedAt }
  return comparedId === '' ? [own] : [own, { pageId, id: comparedId, scannedAt: comparedAt }]
}

function changesSince(before: StoredScan | undefined, scan: StoredScan): ScanChanges {
  const [now, then] = [scan, before].map((either) => either && comparable(either))
  return now ? scanChanges(now, then) : noChanges
}

function comparable({ rubricVersion, grade, headers, moreHeaders }: StoredScan): ComparableScan | undefined {
  if (grade === null || headers === null) return undefined
  return { rubricVersion, grade, headers: { ...headers, ...moreHeaders } }
}
