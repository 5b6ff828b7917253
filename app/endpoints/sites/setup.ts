import { z } from 'zod'
import { listLastReports } from '../../../queries/tenants/activity.ts'
import { findSentHeaders } from '../../../queries/tenants/site-setup.ts'
import { listSites } from '../../../queries/tenants/sites.ts'
import { param, uuid } from '../../../schema/params.ts'
import { Problem } from '../../../schema/problems.ts'
import { siteSetup as response } from '../../../schema/responses/site-setup.ts'
import { expiredRows } from '../../../schema/rules/time/expired-rows.ts'
import { siteSetup } from '../../../schema/setup/site-setup.ts'
import { endpoint } from '../../pipeline/endpoint.ts'

/** Characters that end no header and need no escape in one. */
const collector = param(
  (error) =>
    z
      .url({ protocol: /^https?$/, error, abort: true })
      .max(500, { error })
      .regex(/^[\w.~:/[\]%-]+$/, { error }),
  'a URL such as https://reports.example.com',
  'Public URL of the collector, for `lines`; without it they have `https://COLLECTOR_URL`',
)

export const sitesSetup = endpoint({
  name: 'sites.setup',
  path: '/v1/sites/{siteId}/setup',
  summary: 'Check a site’s reporting headers',
  description:
    'For each kind of report: the latest report, the headers that the last scan received, problems, and the header lines to set. Scans record these headers from this release on.',
  pathParams: { siteId: uuid('The site') },
  query: { collector: collector.optional().meta({ examples: ['https://reports.example.com'] }) },
  response: z.object({ data: response }),
  async handle({ caller: { tenant }, params: { siteId, collector = 'https://COLLECTOR_URL' }, retentionFrom, read }) {
    const ref = { tenantId: tenant.id, siteId }
    const site = (await read(listSites(tenant.id))).find(({ id }) => id === siteId)
    if (!site) throw new Problem('not_found', 'There is no such site')
    const expired = expiredRows(tenant, retentionFrom)
    const [reports, [found]] = await Promise.all([
      read(listLastReports(ref, { from: retentionFrom, ...(expired && { expired }) })),
      read(findSentHeaders(ref, site.hosts)),
    ])
    const scan = found?.isRecorded ? found : undefined
    const kinds = siteSetup({
      token: site.token,
      reportUrl: `${collector.replace(/\/+$/, '')}/r/${site.token}`,
      page: scan && { url: scan.url, headers: new Map(Object.entries(scan.headers)) },
      lastReports: new Map(reports.map(({ type, at }) => [type, at])),
    })
    if (!scan) return { data: { scan: null, kinds } }
    const { pageId, scanId, url, scannedAt } = scan
    return { data: { scan: { pageId, scanId, url, scannedAt }, kinds } }
  },
})
