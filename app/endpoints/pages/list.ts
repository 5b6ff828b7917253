import { listMonitoredPages, type PagePosition } from '../../../queries/pages/monitored-pages.ts'
import { listLatestScanRefs } from '../../../queries/scans/scan-refs.ts'
import { readScans } from '../../../queries/scans/scans.ts'
import { uuid } from '../../../schema/params.ts'
import { listResponse } from '../../../schema/responses/common.ts'
import { monitoredPage } from '../../../schema/responses/monitored-page.ts'
import type { LatestScan, ListedScan } from '../../../schema/responses/scan.ts'
import { endpoint } from '../../pipeline/endpoint.ts'
import { type SortKey, wholeListPage } from '../../pipeline/page.ts'

const position: SortKey<PagePosition, PagePosition> = {
  schema: monitoredPage.pick({ position: true, id: true }),
  from: ({ position, id }) => ({ position, id }),
}

export const pagesList = endpoint({
  name: 'pages.list',
  path: '/v1/sites/{siteId}/pages',
  summary: 'List monitored pages',
  description:
    'Monitored pages in the site’s order, each with its latest scheduled scan. Available on every plan with API access, even if the plan no longer includes scans.',
  pathParams: { siteId: uuid('The site') },
  page: { ...wholeListPage, position },
  charges: ['key'],
  response: listResponse(monitoredPage),
  async handle({ caller, params, page, read, readAll }) {
    const rows = await read(
      listMonitoredPages(caller.tenant.id, params.siteId, { after: page.after, limit: page.rows }),
    )
    const { data, ...paging } = page.cut(rows)
    const ids = data.map(({ id }) => id)
    const latest = await read(listLatestScanRefs(caller.tenant.id, ids, 'all'))
    const scans = await readScans(readAll, caller.tenant.id, latest)
    const scanOf = new Map(scans.map((scan) => [scan.pageId, toLatestScan(scan)]))
    return { data: data.map((row) => ({ ...row, latestScan: scanOf.get(row.id) ?? null })), ...paging }
  },
})

const toLatestScan = ({
  id,
  scannedAt,
  status,
  grade,
  failureReason,
  consecutiveFailures,
  changes,
}: ListedScan): LatestScan => ({ id, scannedAt, status, grade, failureReason, consecutiveFailures, changes })
