import { z } from 'zod'
import { mergeIntervals } from '../../schema/rules/time/merge-intervals.ts'
import { paymentPageIds, type SiteRef } from '../pages/payment-pages.ts'
import type { Query } from '../sql/query.ts'
import { rowTime } from '../sql/rows.ts'
import { at, sql, uint, uuid } from '../sql/sql.ts'

const interval = z.tuple([rowTime, rowTime]).transform(([from, to]) => ({ from, to }))

const scannedVersionRow = z.object({
  url: z.string(),
  hash: z.string().nullable(),
  firstSeenAt: rowTime,
  lastSeenAt: rowTime,
  pageIds: z.array(z.string()),
  intervals: z.array(interval).transform(mergeIntervals),
})

/**
 * Bytes of scripts that scans of payment pages found since then, by URL and hash; the most recent ones if there are
 * more. A scan with a 2xx status that lacks the bytes ends an interval.
 */
export const listScannedVersions = (
  site: SiteRef,
  { since, limit }: { readonly since: Date; readonly limit: number },
): Query<z.infer<typeof scannedVersionRow>> => ({
  name: 'listScannedVersions',
  statement: sql`
    SELECT *
    FROM (
      SELECT url, nullIf(hash, '') AS hash, min(seen_from) AS firstSeenAt, max(seen_to) AS lastSeenAt,
        arraySort(groupUniqArray(page_id)) AS pageIds, arraySort(groupArray((seen_from, seen_to))) AS intervals
      FROM (
        SELECT page_id, url, hash, min(scanned_at) AS seen_from, max(scanned_at) AS seen_to
        FROM (
          SELECT page_id, url, hash, scanned_at, sum(is_new) OVER version_order AS ordinal
          FROM (
            SELECT page_id, url, hash, scanned_at, scan_id,
              counted_before > lagInFrame(counted_before + is_counted, 1, 0) OVER version_order AS is_new
            FROM (
              SELECT page_id, scan_id, scanned_at, is_counted, script_urls, script_hashes,
                sum(is_counted) OVER (PARTITION BY page_id ORDER BY scanned_at, scan_id
                  ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) - is_counted AS counted_before
              FROM (
                SELECT toString(page_id) AS page_id, toString(id) AS scan_id, scanned_at, script_urls, script_hashes,
                  toUInt64(scripts_listed AND status_code >= 200 AND status_code < 300) AS is_counted
                FROM page_scans FINAL
                WHERE tenant_id = ${uuid(site.tenantId)} AND page_scans.page_id IN ${paymentPageIds(site)}
                  AND status = 'complete')
            ) AS scans
            ARRAY JOIN script_urls AS url, script_hashes AS hash
            WHERE url != ''
            WINDOW version_order AS (PARTITION BY page_id, url, hash ORDER BY scanned_at, scan_id
              ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW))
          WINDOW version_order AS (PARTITION BY page_id, url, hash ORDER BY scanned_at, scan_id
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW))
        GROUP BY page_id, url, hash, ordinal)
      GROUP BY url, hash
      HAVING lastSeenAt >= ${at(since)}
      ORDER BY lastSeenAt DESC, url, hash
      LIMIT ${uint(limit)})
    ORDER BY url, hash`,
  row: scannedVersionRow,
})
