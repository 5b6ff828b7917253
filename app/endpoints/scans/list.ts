import { listLatestScanRefs, listScanRefs } from '../../../queries/scans/scan-refs.ts'
import { readScans } from '../../../queries/scans/scans.ts'
import { uuid } from '../../../schema/params.ts'
import { listResponse } from '../../../schema/responses/common.ts'
import { listedScan } from '../../../schema/responses/scan.ts'
import { endpoint } from '../../pipeline/endpoint.ts'
import { wholeListPage } from '../../pipeline/page.ts'
import { timePosition } from '../../pipeline/time-position.ts'
import { requirePage } from '../pages/require-page.ts'

export const scansList = endpoint({
  name: 'scans.list',
  path: '/v1/sites/{siteId}/pages/{pageId}/scans',
  summary: 'List a page’s scans',
  description:
    'Scheduled scans of a monitored page, newest first, each with its headers and changes; read a single scan for the full result. All stored scans are listed, independent of the retention of reports.',
  pathParams: { siteId: uuid('The site'), pageId: uuid('The monitored page') },
  page: { ...wholeListPage, position: timePosition('scannedAt') },
  charges: ['key'],
  response: listResponse(listedScan, {
    latestComplete: listedScan.optional().meta({
      description:
        'The page’s latest complete scan, even if failed scans followed. Absent until there is a complete scan.',
    }),
  }),
  async handle({ caller: { tenant }, params: { siteId, pageId }, page, read, readAll }) {
    const [refs, latest] = await Promise.all([
      read(listScanRefs(tenant.id, pageId, { after: page.after, limit: page.rows })),
      read(listLatestScanRefs(tenant.id, [pageId], 'complete')),
      requirePage(read, tenant.id, { siteId, pageId }),
    ])
    const { data: shown, ...paging } = page.cut(refs)
    const scans = await readScans(readAll, tenant.id, [...shown, ...latest])
    return { data: scans.slice(0, shown.length), latestComplete: scans[shown.length], ...paging }
  },
})
