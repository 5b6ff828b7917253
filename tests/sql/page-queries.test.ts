import { expect, test } from 'vitest'
import { findNextPagePosition, listMonitoredPages, listPagesToScan } from '../../queries/pages/monitored-pages.ts'
import { paymentPatterns, sitePageIds } from '../../queries/pages/payment-pages.ts'
import { render } from '../../queries/sql/sql.ts'
import { sqlText } from '../support/sql-text.ts'
import { tablesRead } from '../support/tenant-scope.ts'

const tenantId = '11111111-1111-4111-8111-111111111111'
const id = '22222222-2222-4222-8222-222222222222'

test('one page to scan is looked for within its tenant, all pages in every tenant', () => {
  const tables = ['monitored_pages', 'sites', 'page_scans']
  expect(tablesRead(sqlText(listPagesToScan({ tenantId, id })))).toEqual(
    tables.map((table) => ({ table, isScoped: true })),
  )
  expect(render(listPagesToScan().statement).params).toEqual({})
})

test('lists, verdicts and the schedule leave removed pages out', () => {
  const site = { tenantId, siteId: id }
  const texts = [
    ...[listMonitoredPages(tenantId, id, { after: undefined, limit: 1 }), listPagesToScan()].map(sqlText),
    sqlText(findNextPagePosition(tenantId, id)),
    ...[sitePageIds(site), paymentPatterns(site)].map((part) => render(part).text),
  ]
  for (const text of texts) expect(text).toMatch(/FROM monitored_pages FINAL\s+WHERE .*\bAND NOT removed\b/)
})
