/** @module Reads known sources of a site from data other than its reports. */

import { z } from 'zod'
import { parseUrl } from '../../schema/parse-url.ts'
import { sourceDecision } from '../../schema/responses/source-decision.ts'
import { createKnownSources, type ServedPolicy } from '../../schema/rules/csp/known-sources.ts'
import { listServedPages } from '../scans/scan-evidence.ts'
import type { Query, Read } from '../sql/query.ts'
import { rowTime } from '../sql/rows.ts'
import { sql, uuid } from '../sql/sql.ts'

const { id, siteId, directive, source, status, reason } = sourceDecision.shape

const row = z
  .object({
    id,
    siteId,
    directive,
    source,
    status,
    reason,
    name: z.string().nullable(),
    email: z.string(),
    decidedAt: rowTime,
  })
  .transform(({ name, email, decidedAt, ...decision }) => ({ ...decision, decidedBy: { name, email }, decidedAt }))

/** Oldest first, ties by id as text: the latest of a directive and source counts. */
export const listSourceDecisions = (tenantId: string, siteId: string): Query<z.output<typeof row>> => ({
  name: 'listSourceDecisions',
  statement: sql`
    SELECT toString(id) AS id, toString(site_id) AS siteId, directive, source, status, reason,
      nullIf(decided_name, '') AS name, decided_email AS email, decided_at AS decidedAt
    FROM source_decisions FINAL
    WHERE tenant_id = ${uuid(tenantId)} AND site_id = ${uuid(siteId)}
    ORDER BY decided_at, toString(source_decisions.id)`,
  row,
})

export async function readKnownSources(read: Read, tenantId: string, siteId: string) {
  const [pages, decided] = await Promise.all([
    read(listServedPages(tenantId, siteId)),
    read(listSourceDecisions(tenantId, siteId)),
  ])
  // A header with several policies has one per line.
  const served = pages.flatMap(({ enforced, reportOnly }): ServedPolicy[] => [
    ...policiesOf('report', reportOnly),
    ...policiesOf('enforce', enforced),
  ])
  const scripts = pages.flatMap(({ scriptUrls }) => scriptUrls.flatMap((url) => parseUrl(url)?.origin ?? []))
  const referred = [
    ...pages.flatMap(({ sources }) => sources),
    ...scripts.map((source) => ({ directive: 'script-src-elem', source })),
  ]
  return { served, ...createKnownSources({ served, referred, decided }) }
}

/** Hosts that the policies, scans and decisions of a site have. */
export async function readKnownHosts(read: Read, tenantId: string, siteId: string): Promise<string[]> {
  const { sources } = await readKnownSources(read, tenantId, siteId)
  return [...new Set(sources.flatMap((source) => parseUrl(source)?.hostname ?? []))]
}

const policiesOf = (disposition: ServedPolicy['disposition'], header: string): ServedPolicy[] =>
  header
    .split('\n')
    .filter(Boolean)
    .map((text) => ({ disposition, text }))
