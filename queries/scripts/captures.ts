import { z } from 'zod'
import { scriptCapture } from '../../schema/responses/script.ts'
import type { Query } from '../sql/query.ts'
import { rowCount, rowTime } from '../sql/rows.ts'
import { at, empty, noTime, type Sql, sql, texts, uint, uuid, uuids } from '../sql/sql.ts'
import { type InventoryFilter, inInventory } from './script-inventory.ts'

const scriptCaptureRow = scriptCapture
  .extend({ url: z.string(), hash: z.string() })
  .transform(({ url, hash, ...capture }) => ({ url, hash, capture }))

export type CaptureRow = z.infer<typeof scriptCaptureRow>

export function listScriptCaptures(filter: InventoryFilter): Query<CaptureRow> {
  return {
    name: 'listScriptCaptures',
    statement: sql`
      SELECT script_url AS url, script_hash AS hash, state, nullIf(reason, '') AS reason, source,
        fetched_url AS fetchedUrl, nullIf(final_url, '') AS finalUrl, nullIf(received_hash, '') AS receivedHash,
        size, reused
      FROM script_captures FINAL
      WHERE ${inInventory(filter)}`,
    row: scriptCaptureRow,
  }
}

const capturedHashRow = z.object({ hash: z.string() })

/** Hashes with a stored copy according to a record: of all tenants, or of one. */
export const listCapturedHashes = (
  hashes: readonly string[],
  tenantId?: string,
): Query<z.infer<typeof capturedHashRow>> => ({
  name: 'listCapturedHashes',
  statement: sql`
    SELECT DISTINCT script_hash AS hash
    FROM script_captures FINAL
    WHERE ${tenantId === undefined ? sql`true` : sql`tenant_id = ${uuid(tenantId)}`}
      AND state = 'captured' AND script_hash IN ${texts(hashes)}`,
  row: capturedHashRow,
})

const captureAttemptRow = z.object({ url: z.string(), hash: z.string() })

/** Versions of a site's scripts with an attempt to store a copy. */
export const listCaptureAttempts = (
  tenantId: string,
  siteId: string,
  urls: readonly string[],
): Query<z.infer<typeof captureAttemptRow>> => ({
  name: 'listCaptureAttempts',
  statement: sql`
    SELECT script_url AS url, script_hash AS hash
    FROM script_captures FINAL
    WHERE tenant_id = ${uuid(tenantId)} AND site_id = ${uuid(siteId)} AND script_url IN ${texts(urls)}`,
  row: captureAttemptRow,
})

const pendingCaptureRow = z.object({
  tenantId: z.string(),
  siteId: z.string(),
  url: z.string(),
  hash: z.string(),
  source: z.enum(['report', 'scan']),
  fetchedUrl: z.string(),
  attemptedAt: rowTime,
})

/** Fetches of all tenants that have not ended; imported records of other systems have no time. */
export const listPendingCaptures: Query<z.infer<typeof pendingCaptureRow>> = {
  name: 'listPendingCaptures',
  statement: sql`
    SELECT tenant_id AS tenantId, site_id AS siteId, script_url AS url, script_hash AS hash, source,
      fetched_url AS fetchedUrl, attempted_at AS attemptedAt
    FROM script_captures FINAL
    WHERE state = 'pending' AND attempted_at > ${noTime}`,
  row: pendingCaptureRow,
}

const captureFetchesRow = z.object({ fetches: rowCount, reportFetches: rowCount, reportRecords: rowCount })

/** Fetches for copies of a site's scripts since then, and how many fetches and records only reports caused. */
export const countCaptureFetches = (
  tenantId: string,
  siteId: string,
  since: Date,
): Query<z.infer<typeof captureFetchesRow>> => ({
  name: 'countCaptureFetches',
  statement: sql`
    SELECT countIf(attempted_at >= ${at(since)}) AS fetches,
      countIf(attempted_at >= ${at(since)} AND source = 'report') AS reportFetches,
      countIf(source = 'report') AS reportRecords
    FROM script_captures FINAL
    WHERE tenant_id = ${uuid(tenantId)} AND site_id = ${uuid(siteId)} AND updated_at >= ${at(since)}`,
  row: captureFetchesRow,
})

const uncapturedVersionRow = z.object({
  tenantId: z.string(),
  siteId: z.string(),
  url: z.string(),
  hash: z.string(),
  /** URL with its query; '' if it has none. */
  requestUrl: z.string(),
})

export type UncapturedVersion = z.infer<typeof uncapturedVersionRow>

/** Limits of a read; the next read returns the rest. */
const [versionsOfSite, versionsOfAll] = [200, 2_000]

/** Short, because a set of a million texts takes seconds. */
const version = sql`sipHash128(tenant_id, site_id, script_url, script_hash)`

/** Versions whose bytes a scan of the site found; matching only the script would allow any hash. */
const ofScanned = (
  tenantIds: readonly string[],
  siteId: string,
): Sql => sql` AND site_id = ${uuid(siteId)} AND (script_url, script_hash) IN (
        SELECT script.1, script.2
        FROM page_scans
        ARRAY JOIN arrayZip(script_urls, script_hashes) AS script
        WHERE tenant_id IN ${uuids(tenantIds)} AND page_id IN (
          SELECT id
          FROM monitored_pages FINAL
          WHERE tenant_id IN ${uuids(tenantIds)} AND site_id = ${uuid(siteId)}))`

/**
 * Hashes of reported scripts without an attempt to store a copy, or without one since an earlier day's fetches were used up. The first seen of each site come first.
 * @param scannedOf only of this site, of one tenant, with bytes that a scan found.
 */
export const listUncapturedVersions = (
  tenantIds: readonly string[],
  since: Date,
  scannedOf?: string,
): Query<UncapturedVersion> => ({
  name: 'listUncapturedVersions',
  statement: sql`
    SELECT tenant_id AS tenantId, site_id AS siteId, script_url AS url, script_hash AS hash,
      max(latest_request).2 AS requestUrl
    FROM script_versions
    WHERE tenant_id IN ${uuids(tenantIds)} AND script_hash != '' AND last_seen_at >= ${at(since)}
      AND (tenant_id, site_id) IN (
        SELECT tenant_id, id
        FROM sites FINAL
        WHERE tenant_id IN ${uuids(tenantIds)}
      )
      AND ${version} NOT IN (
        SELECT ${version}
        FROM script_captures FINAL
        WHERE tenant_id IN ${uuids(tenantIds)} AND NOT (reason = 'daily_cap' AND updated_at < toStartOfDay(now('UTC')))
      )${scannedOf === undefined ? empty : ofScanned(tenantIds, scannedOf)}
    GROUP BY tenantId, siteId, url, hash
    ORDER BY row_number() OVER (PARTITION BY tenantId, siteId ORDER BY min(first_seen_at), url, hash), url, hash
    LIMIT ${uint(versionsOfSite)} BY tenantId, siteId
    LIMIT ${uint(versionsOfAll)}`,
  row: uncapturedVersionRow,
  pool: 'maintenance',
})
