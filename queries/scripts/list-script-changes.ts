/** @module Scripts of payment pages that differ from the page's previous scan, and the data that decides on alerts. */

import { z } from 'zod'
import { dayMs } from '../../schema/durations.ts'
import { watchedDays } from '../../schema/pci.ts'
import type { Query } from '../sql/query.ts'
import { rowJson, rowTime } from '../sql/rows.ts'
import { at, sql, texts, uint, uuid } from '../sql/sql.ts'

const change = z.object({
  siteId: z.string(),
  pageId: z.string(),
  pageLabel: z.string(),
  scanId: z.string(),
  scannedAt: rowTime,
  url: z.string(),
  /** '' of a script that the scan could not read. */
  hash: z.string(),
  /** The previous scan has no script with the URL. */
  isNew: z.boolean(),
})

export type ScriptChange = z.infer<typeof change>

/** A scan is compared with a scan of a watched page (Rule 67); a first scan has no predecessor. */
const daysBefore = (time: Date) => new Date(time.getTime() - watchedDays * dayMs)

/** Scripts of scans since then, newest first; scans of error pages are skipped. */
export const listScriptChanges = (tenantId: string, since: Date, limit: number): Query<ScriptChange> => ({
  name: 'listScriptChanges',
  statement: sql`
    SELECT page.site_id AS siteId, page.id AS pageId, page.label AS pageLabel, scan.id AS scanId,
      scan.scanned_at AS scannedAt, tag.1 AS url, tag.2 AS hash, (NOT has(scan.urls_before, tag.1))::Bool AS isNew
    FROM (
      SELECT id, page_id, scanned_at, arrayMap(tag -> tag.1, before) AS urls_before,
        arrayJoin(arrayDistinct(arrayFilter(
          tag -> tag.1 != '' AND NOT has(before, tag) AND (tag.2 != '' OR NOT has(urls_before, tag.1)), tags))) AS tag
      FROM (
        SELECT toString(page_scans.id) AS id, page_id, scanned_at, arrayZip(script_urls, script_hashes) AS tags,
          lagInFrame(tags) OVER page_order AS before, row_number() OVER page_order AS ordinal
        FROM page_scans FINAL
        WHERE tenant_id = ${uuid(tenantId)} AND scanned_at >= ${at(daysBefore(since))}
          AND status = 'complete' AND scripts_listed AND status_code >= 200 AND status_code < 300
        WINDOW page_order AS (
          PARTITION BY page_id ORDER BY scanned_at, toString(page_scans.id) ROWS BETWEEN 1 PRECEDING AND CURRENT ROW))
      WHERE ordinal > 1 AND scanned_at >= ${at(since)}
    ) AS scan
    INNER JOIN (
      SELECT site_id, id, label
      FROM monitored_pages FINAL
      WHERE tenant_id = ${uuid(tenantId)} AND kind = 'payment' AND NOT removed
    ) AS page ON page.id = scan.page_id
    ORDER BY scannedAt DESC, scanId DESC, url DESC, hash DESC
    LIMIT ${uint(limit)}`,
  row: change,
})

const decision = z.object({
  siteId: z.string(),
  url: z.string(),
  status: z.string(),
  integrityMode: z.string(),
  /** Null: every hash that was seen before the decision. */
  pinnedHashes: rowJson(z.array(z.string()).nullable(), 'null'),
  decidedAt: rowTime,
})

export type CurrentDecision = z.infer<typeof decision>

/** The latest decision about each script. */
export const listCurrentDecisions = (tenantId: string, urls: readonly string[]): Query<CurrentDecision> => ({
  name: 'listCurrentDecisions',
  statement: sql`
    SELECT site_id AS siteId, script_url AS url,
      argMax((script_decisions.status, integrity_mode, pinned_hashes, decided_at), (decided_at, toString(id))) AS latest,
      latest.1 AS status, latest.2 AS integrityMode, latest.3 AS pinnedHashes, latest.4 AS decidedAt
    FROM script_decisions FINAL
    WHERE tenant_id = ${uuid(tenantId)} AND script_url IN ${texts(urls)}
    GROUP BY siteId, url`,
  row: decision,
})

const version = z.object({ siteId: z.string(), url: z.string(), hash: z.string(), firstSeen: rowTime })

export type FirstVersion = z.infer<typeof version>

/** Time when each site's browsers or scans first had a version of a script. */
export const listFirstVersions = (tenantId: string, urls: readonly string[]): Query<FirstVersion> => ({
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
