/** @module Scans that show a payment page, and pages whose latest scan does not (Rule 67). */

import { z } from 'zod'
import { paymentPatterns, type SiteRef } from '../pages/payment-pages.ts'
import type { Query } from '../sql/query.ts'
import { at, type Sql, sql, texts, uuid } from '../sql/sql.ts'

/** Host and path as browsers write them, without default ports and the last slash. */
function place(url: Sql): Sql {
  const decoded = sql`lower(decodeURLComponent(cutQueryStringAndFragment(${url})))`
  return sql`replaceRegexpOne(replaceRegexpOne(${decoded}, '^https?://([^/:]*)(:80|:443)?', '\\\\1'), '/+$', '')`
}

const finalPage = sql`cutQueryStringAndFragment(final_url)`

/** Condition on a scan joined with `paymentPatterns`. */
export const isCounted: Sql = sql`(status = 'complete' AND status_code >= 200 AND status_code < 300
        AND (final_url = '' OR ${place(sql`final_url`)} = ${place(sql`scan_url`)}
          OR if(expression = '', ${finalPage} = start, match(${finalPage}, expression))))`

/** Equal for equal sets of inline scripts; 0 for a scan that does not list them. */
export const inlineKey: Sql = sql`if(inline_listed, cityHash64(arraySort(inline_hashes)), 0)`

/** For each two consecutive keys, whether both scans list inline scripts, and different ones. */
export const inlineDiffers = (keys: Sql): Sql =>
  sql`arrayMap((a, b) -> a != b AND a != 0 AND b != 0, arrayPopBack(${keys}), arrayPopFront(${keys}))`

/** Failures that another attempt would repeat, unlike a timeout. */
const refusals = ['access_denied', 'bot_challenge', 'not_html', 'too_many_redirects'] as const

const coverageRow = z.object({
  pageId: z.string(),
  /** The latest scan that got a definite response does not count. */
  unavailable: z.boolean(),
  /** Each of the last three scans that count found other inline scripts than the scan before. */
  inlineNotComparable: z.boolean(),
  /** First record of the page, in milliseconds since the Unix epoch; 0 if it is older than the records' history. */
  addedAt: z.int(),
  /** Times of scans that count, in milliseconds since the Unix epoch, ascending. */
  countedAt: z.array(z.int()),
})

export type PageCoverage = z.infer<typeof coverageRow>

/** Payment pages with scans since then. */
export const listPageCoverage = (site: SiteRef, since: Date): Query<PageCoverage> => ({
  name: 'listPageCoverage',
  statement: sql`
    SELECT page_id AS pageId, (max(answered) AND NOT argMaxIf(counted, (scanned_at, id), answered))::Bool AS unavailable,
      arrayMap(one -> one.3, arraySlice(arraySort(groupArrayIf((scanned_at, id, inline_key), counted)), -4)) AS keys,
      (arraySum(${inlineDiffers(sql`keys`)}) = 3)::Bool AS inlineNotComparable,
      toUnixTimestamp64Milli(any(added_at)) AS addedAt,
      arraySort(groupArrayIf(toUnixTimestamp64Milli(scanned_at), counted)) AS countedAt
    FROM (
      SELECT page_id, id, scanned_at, status = 'complete' OR failure_reason IN ${texts(refusals)} AS answered,
        ${isCounted} AS counted, inline_key
      FROM (
        SELECT toString(page_scans.page_id) AS page_id, toString(page_scans.id) AS id, scanned_at, status, status_code,
          failure_reason, scan_url, final_url, ${inlineKey} AS inline_key
        FROM page_scans FINAL
        WHERE tenant_id = ${uuid(site.tenantId)} AND scanned_at >= ${at(since)}
      ) AS scans
      INNER JOIN ${paymentPatterns(site)} AS patterns USING (page_id)
    ) AS judged
    INNER JOIN (
      SELECT toString(id) AS page_id, min(updated_at) AS added_at
      FROM monitored_pages_history
      WHERE tenant_id = ${uuid(site.tenantId)} AND site_id = ${uuid(site.siteId)}
      GROUP BY page_id
    ) AS added USING (page_id)
    GROUP BY page_id`,
  row: coverageRow,
})
