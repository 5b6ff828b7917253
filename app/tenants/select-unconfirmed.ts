/** @module Condition on reports that name what only reports since a time name: a flood of forged reports. */

import { readKnownHosts } from '../../queries/csp-policies/known-sources.ts'
import { type SiteRef, sitePageIds } from '../../queries/pages/payment-pages.ts'
import type { Read } from '../../queries/sql/query.ts'
import { at, type Sql, sql, text, texts, uuid } from '../../queries/sql/sql.ts'
import { otherIssues } from '../../schema/issue-id.ts'
import { issueTypeNames } from '../../schema/report-types.ts'
import { knownDirectives } from '../../schema/rules/csp/governing-directive.ts'

/**
 * True of reports of issues first seen since `from`, without those of a host that a policy, a scan or a decision has;
 * of versions of scripts first seen since then and after the script's last decision, without those in a complete scan;
 * and of reports above the bound of a day (Rule 82).
 */
export async function selectUnconfirmed(read: Read, site: SiteRef, from: Date): Promise<Sql> {
  const hosts = await readKnownHosts(read, site.tenantId, site.siteId)
  const ofSite = sql`tenant_id = ${uuid(site.tenantId)} AND site_id = ${uuid(site.siteId)}`
  const newIssues = sql`
    SELECT issue_key FROM issue_first_seen WHERE ${ofSite} GROUP BY issue_key HAVING min(first_seen_at) >= ${at(from)}`
  const isKnownSource = sql`
    report_type = 'csp-violation' AND issue_subject IN ${texts(knownDirectives)} AND issue_host IN ${texts(hosts)}`
  const newVersions = sql`
    SELECT version.script_url, version.script_hash
    FROM (
      SELECT script_url, script_hash, min(first_seen_at) AS first_at
      FROM script_versions
      WHERE ${ofSite}
      GROUP BY script_url, script_hash
      HAVING first_at >= ${at(from)}
    ) AS version
    LEFT JOIN (
      SELECT script_url, max(decided_at) AS decided_at
      FROM script_decisions FINAL
      WHERE ${ofSite}
      GROUP BY script_url
    ) AS decision ON decision.script_url = version.script_url
    WHERE version.first_at > decision.decided_at`
  const scanned = sql`
    SELECT tag.1, tag.2
    FROM (
      SELECT arrayJoin(arrayZip(script_urls, script_hashes)) AS tag
      FROM page_scans FINAL
      WHERE tenant_id = ${uuid(site.tenantId)} AND page_id IN ${sitePageIds(site)} AND status = 'complete')`
  const version = sql`(script_url, script_hash)`
  return sql`(
    (report_type IN ${texts(issueTypeNames)} AND (
      issue_subject = ${text(otherIssues)} OR (issue_key IN (${newIssues}) AND NOT (${isKnownSource}))))
    OR (report_type = 'csp-hash' AND (
      script_url = '' OR (${version} IN (${newVersions}) AND ${version} NOT IN (${scanned})))))`
}
