/** @module Scripts of payment pages that differ from the page's previous scan, and the data that decides on alerts. */

import { z } from 'zod'
import type { ScriptDecided } from '../../schema/rules/scripts/script-changes.ts'
import { paymentPatterns, type SitesRef } from '../pages/payment-pages.ts'
import { inlineDiffers, inlineKey, isCounted } from '../scans/counted-scans.ts'
import type { Query } from '../sql/query.ts'
import { rowJson, rowTime } from '../sql/rows.ts'
import { at, type Sql, sql, texts, uint, uuid, uuids } from '../sql/sql.ts'

const change = z.object({
  siteId: z.string(),
  pageId: z.string(),
  pageLabel: z.string(),
  scanId: z.string(),
  scannedAt: rowTime,
  /** Time of the scan that this one is compared with. */
  comparedAt: rowTime,
  /** `inline:` and the hash of an inline script. */
  url: z.string(),
  /** '' of a script that the scan could not read. */
  hash: z.string(),
  /** Start of an inline script. */
  sample: z.string(),
  /**
   * `present`: unchanged since the scan before, and of a script that somebody rejected. `not_comparable`: the scan is the
   * third in a row with other inline scripts than the scan before.
   */
  change: z.enum(['added', 'changed', 'removed', 'present', 'not_comparable']),
})

export type ScriptChange = z.infer<typeof change>

const inlineUrls = sql`arrayMap(hash -> concat('inline:', hash), inline_hashes)`

/** Scripts by URL, hash and sample, and the key of the inline ones. */
export const countedTags = (site: SitesRef): Sql => sql`(
    SELECT page_id, toString(scan_id) AS id, scanned_at, ${inlineKey} AS inline_key,
      arrayConcat(
        arrayMap((url, hash) -> (url, hash, ''), script_urls, script_hashes),
        arrayZip(${inlineUrls}, inline_hashes, inline_samples)) AS tags
    FROM (
      SELECT toString(page_scans.page_id) AS page_id, page_scans.id AS scan_id, scanned_at, status, status_code, scan_url,
        final_url, script_urls, script_hashes, inline_hashes, inline_samples, inline_listed
      FROM page_scans FINAL
      WHERE tenant_id = ${uuid(site.tenantId)} AND status = 'complete' AND scripts_listed
    ) AS scans
    INNER JOIN ${paymentPatterns(site)} AS patterns USING (page_id)
    WHERE ${isCounted})`

/**
 * Differences of scans since then from the page's previous scan that counts (Rule 67), newest first; a first scan has
 * none, and a first list of inline scripts either. Inline scripts that differ in more than three scans in a row are
 * omitted. Equal scans are dropped before scripts are compared: with 20,000 scans of 40 scripts 1.3 s instead of 25.
 */
export const listScriptChanges = (
  { tenantId, since, ...site }: SitesRef & { readonly since: Date },
  limit: number,
): Query<ScriptChange> => ({
  name: 'listScriptChanges',
  statement: sql`
    WITH (
      SELECT groupUniqArray(script_url)
      FROM script_decisions FINAL
      WHERE tenant_id = ${uuid(tenantId)} AND script_decisions.status = 'rejected'
    ) AS rejected
    SELECT page.site_id AS siteId, page.id AS pageId, page.label AS pageLabel, scan.id AS scanId,
      scan.scanned_at AS scannedAt, scan.compared_at AS comparedAt, found.1 AS url, found.2 AS hash, found.3 AS sample,
      found.4 AS change
    FROM (
      SELECT id, page_id, scanned_at, compared_at, arrayMap(tag -> tag.1, tags) AS urls,
        arrayMap(tag -> tag.1, before) AS urls_before,
        arrayJoin(arrayDistinct(arrayConcat(
          arrayMap(
            tag -> (tag.1, tag.2, tag.3, if(has(urls_before, tag.1), 'changed', 'added')),
            arrayFilter(tag -> NOT has(before, tag) AND (tag.2 != '' OR NOT has(urls_before, tag.1)), tags)),
          arrayMap(tag -> (tag.1, tag.2, tag.3, 'removed'), arrayFilter(tag -> NOT has(urls, tag.1), before)),
          arrayMap(tag -> (tag.1, tag.2, '', 'present'),
            arrayFilter(tag -> has(rejected, tag.1) AND has(urls_before, tag.1), tags)),
          if(in_a_row = 3, [('inline:', '', '', 'not_comparable')], [])))) AS found
      FROM (
        SELECT id, page_id, scanned_at, compared_at, ${inlineDiffers(sql`inline_keys`)} AS differs,
          length(differs) - arrayLastIndex(one -> NOT one, differs) AS in_a_row,
          arrayFilter(tag -> in_a_row BETWEEN 1 AND 3 OR NOT startsWith(tag.1, 'inline:'), all_tags) AS tags,
          arrayFilter(tag -> in_a_row BETWEEN 1 AND 3 OR NOT startsWith(tag.1, 'inline:'), all_before) AS before
        FROM (
          SELECT id, page_id, scanned_at, tags AS all_tags, lagInFrame(tags) OVER page_order AS all_before,
            lagInFrame(scanned_at) OVER page_order AS compared_at, row_number() OVER page_order AS ordinal,
            groupArray(inline_key) OVER (
              PARTITION BY page_id ORDER BY scanned_at, id ROWS BETWEEN 4 PRECEDING AND CURRENT ROW) AS inline_keys
          FROM ${countedTags({ tenantId, ...site })} AS counted
          WHERE scanned_at >= ${at(since)} OR (page_id, scanned_at) IN (
            SELECT page_id, scanned_at
            FROM ${countedTags({ tenantId, ...site })} AS earlier
            WHERE scanned_at < ${at(since)}
            ORDER BY scanned_at DESC
            LIMIT 4 BY page_id)
          WINDOW page_order AS (
            PARTITION BY page_id ORDER BY scanned_at, id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW))
        WHERE ordinal > 1 AND scanned_at >= ${at(since)}
          AND (all_tags != all_before OR hasAny(arrayMap(tag -> tag.1, all_tags), rejected)))
      WHERE found.1 != ''
    ) AS scan
    INNER JOIN (
      SELECT site_id, toString(id) AS id, label
      FROM monitored_pages FINAL
      WHERE tenant_id = ${uuid(tenantId)} AND kind = 'payment' AND NOT removed
    ) AS page ON page.id = scan.page_id
    ORDER BY scannedAt DESC, scanId DESC, url DESC, hash DESC
    LIMIT ${uint(limit)}`,
  row: change,
})

const earlierTag = z.object({
  pageId: z.string(),
  url: z.string(),
  /** Times in milliseconds since the Unix epoch with the hashes at that time, ascending. */
  found: z.array(z.tuple([z.int(), z.string()])),
})

/** Scripts of the pages in scans since then. */
export const listEarlierTags = (
  tenantId: string,
  { pageIds, urls, since }: { readonly pageIds: readonly string[]; readonly urls: readonly string[]; since: Date },
): Query<z.infer<typeof earlierTag>> => ({
  name: 'listEarlierTags',
  statement: sql`
    SELECT toString(page_id) AS pageId, tag.1 AS url,
      arraySort(groupArray((toUnixTimestamp64Milli(scanned_at), tag.2))) AS found
    FROM (
      SELECT page_id, scanned_at, arrayConcat(script_urls, ${inlineUrls}) AS urls,
        arrayJoin(arrayZip(urls, arrayConcat(script_hashes, inline_hashes))) AS tag
      FROM page_scans FINAL
      WHERE tenant_id = ${uuid(tenantId)} AND page_id IN ${uuids(pageIds)} AND scanned_at >= ${at(since)}
        AND status = 'complete' AND hasAny(urls, ${texts(urls)})
    )
    WHERE tag.1 IN ${texts(urls)}
    GROUP BY page_id, url`,
  row: earlierTag,
})

const decision = z.object({
  siteId: z.string(),
  url: z.string(),
  status: z.enum(['authorized', 'rejected']),
  integrityMode: z.string(),
  pinnedHashes: rowJson(z.array(z.string()).nullable(), 'null'),
  decidedAt: rowTime,
}) satisfies z.ZodType<ScriptDecided>

/** Decisions about scripts of every site, oldest first. */
export const listDecisions = (tenantId: string, urls: readonly string[]): Query<z.infer<typeof decision>> => ({
  name: 'listDecisions',
  statement: sql`
    SELECT site_id AS siteId, script_url AS url, script_decisions.status AS status, integrity_mode AS integrityMode,
      pinned_hashes AS pinnedHashes, decided_at AS decidedAt
    FROM script_decisions FINAL
    WHERE tenant_id = ${uuid(tenantId)} AND script_url IN ${texts(urls)}
    ORDER BY decided_at, toString(id)`,
  row: decision,
})

const version = z.object({ siteId: z.string(), url: z.string(), hash: z.string(), firstSeen: rowTime })

/** Time when each site's browsers or scans first had a version of a script. */
export const listFirstVersions = (tenantId: string, urls: readonly string[]): Query<z.infer<typeof version>> => ({
  name: 'listFirstVersions',
  statement: sql`
    SELECT site_id AS siteId, script_url AS url, script_hash AS hash, min(seen_at) AS firstSeen
    FROM (
      SELECT site_id, script_url, script_hash, first_seen_at AS seen_at
      FROM script_versions
      WHERE tenant_id = ${uuid(tenantId)} AND script_url IN ${texts(urls)}
      UNION ALL
      SELECT page.site_id AS site_id, scan.script_url AS script_url, scan.script_hash AS script_hash, scan.scanned_at AS seen_at
      FROM (
        SELECT page_id, scanned_at, arrayJoin(arrayZip(script_urls, script_hashes)) AS tag, tag.1 AS script_url,
          tag.2 AS script_hash
        FROM page_scans FINAL
        WHERE tenant_id = ${uuid(tenantId)} AND hasAny(script_urls, ${texts(urls)})
      ) AS scan
      INNER JOIN (
        SELECT id, site_id
        FROM monitored_pages FINAL
        WHERE tenant_id = ${uuid(tenantId)}
      ) AS page ON page.id = scan.page_id
      WHERE scan.script_url IN ${texts(urls)})
    GROUP BY siteId, url, hash`,
  row: version,
})
