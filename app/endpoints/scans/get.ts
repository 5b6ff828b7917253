import { z } from 'zod'
import { findScanRef } from '../../../queries/scans/scan-refs.ts'
import { findScanDetails, readScans } from '../../../queries/scans/scans.ts'
import { onlyRow } from '../../../queries/sql/rows.ts'
import { uuid } from '../../../schema/params.ts'
import { Problem } from '../../../schema/problems.ts'
import { scan } from '../../../schema/responses/scan.ts'
import { endpoint } from '../../pipeline/endpoint.ts'
import { requirePage } from '../pages/require-page.ts'

export const scansGet = endpoint({
  name: 'scans.get',
  path: '/v1/sites/{siteId}/pages/{pageId}/scans/{scanId}',
  summary: 'Read one scan',
  description:
    'A scan with its graded result; for a payment page on a plan with script authorization also the fetched and hashed scripts.',
  pathParams: { siteId: uuid('The site'), pageId: uuid('The monitored page'), scanId: uuid('The scan') },
  charges: ['key'],
  response: z.object({ data: scan }),
  async handle({ caller: { tenant }, params: { siteId, pageId, scanId }, read, readAll }) {
    const [page, [ref]] = await Promise.all([
      requirePage(read, tenant.id, { siteId, pageId }),
      read(findScanRef(tenant.id, pageId, scanId)),
    ])
    if (!ref) throw new Problem('not_found', 'There is no such scan')
    const showsScripts = page.kind === 'payment' && tenant.entitlements.capabilities.includes('scripts.authorization')
    const [scans, details] = await Promise.all([
      readScans(readAll, tenant.id, [ref]),
      read(findScanDetails(tenant.id, ref, showsScripts)),
    ])
    return { data: { ...onlyRow(scans), ...onlyRow(details) } }
  },
})
