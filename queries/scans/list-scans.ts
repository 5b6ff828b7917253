import { z } from 'zod'
import { scanGrades, scanStatuses, type WatchedHeader, watchedHeaders } from '../../schema/enumerations.ts'
import type { ListedScan } from '../../schema/responses/scan.ts'
import { chunksOf } from '../sql/chunks.ts'
import type { Query } from '../sql/query.ts'
import { rowCount, rowTime } from '../sql/rows.ts'
import { at, sql, uuid, uuids } from '../sql/sql.ts'
import type { ScanRef } from './scan-history.ts'

export type StoredScan = Omit<ListedScan, 'consecutiveFailures' | 'changes'>

function watched(sent: Readonly<Record<string, string>>): Record<WatchedHeader, string | null> {
  const entries = watchedHeaders.map((header) => [header, sent[header] ?? null] as const)
  return Object.fromEntries(entries) as Record<WatchedHeader, string | null>
}

const row: z.ZodType<StoredScan> = z
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
        nullIf(status_code, 0) AS statusCode, headers
      FROM page_scans FINAL
      WHERE tenant_id = ${uuid(tenantId)} AND page_id IN ${uuids(pageIds)}
        AND scanned_at BETWEEN ${at(first)} AND ${at(last)} AND page_scans.id IN ${uuids(refs.map(({ id }) => id))}`,
    row,
  }
}
