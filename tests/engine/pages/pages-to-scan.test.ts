import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { monitoredPages } from '../../../app/import/records/types/monitored-pages.ts'
import { scans } from '../../../app/import/records/types/scans.ts'
import { listDuePages } from '../../../app/worker/scans/list-due-pages.ts'
import { completeScan, failedScan } from '../../../fixtures/scans.ts'
import type { Database } from '../../../queries/clickhouse/database.ts'
import { insertRows } from '../../../queries/clickhouse/insert-rows.ts'
import { listPagesToScan } from '../../../queries/pages/monitored-pages.ts'
import { dayMs, hourMs } from '../../../schema/durations.ts'
import type { Plan } from '../../../schema/plans.ts'
import { uuidV5 } from '../../../schema/rules/uuid-v5.ts'
import { connectPatiently } from '../../support/patience.ts'
import { createTenantWriter, type TenantWriter } from '../../support/tenants.ts'

let database: Database
let store: TenantWriter

beforeAll(() => {
  database = connectPatiently(inject('servers').writeUrl)
  store = createTenantWriter(database)
})
afterAll(() => database?.close())

const scanUrl = 'https://shop.example.test/pay'

async function makePage(plan: Plan = 'business', kind: 'payment' | 'other' = 'payment') {
  const tenantId = await store.createTenant({ plan })
  const siteId = await store.createSite(tenantId)
  const page = { id: randomUUID(), siteId, kind, label: 'Pay', pattern: scanUrl, scanUrl, position: 0 }
  await store.importRecords(tenantId, monitoredPages, [page])
  return { tenantId, page }
}

const at = (hour: number) => new Date(Date.UTC(2026, 0, 31, hour)).toISOString()

/** Scans of each hour from midnight on: c is complete, f failed. */
const scansOf = (pageId: string, outcomes: string) =>
  [...outcomes].map((outcome, hour) =>
    (outcome === 'c' ? completeScan : failedScan)({ id: randomUUID(), pageId, scannedAt: at(hour) }),
  )

test.each([
  ['', { lastScanAt: null, failures: 0 }],
  ['c', { lastScanAt: at(0), failures: 0 }],
  ['ff', { lastScanAt: at(1), failures: 2 }],
  ['fcff', { lastScanAt: at(3), failures: 2 }],
  ['cffc', { lastScanAt: at(3), failures: 0 }],
])(
  'after scans %j a page has its last scan and its failures since the last complete one',
  async (outcomes, history) => {
    const { tenantId, page } = await makePage()
    await store.importRecords(tenantId, scans, scansOf(page.id, outcomes).reverse())
    const { id, siteId, kind } = page
    expect(await database.read(listPagesToScan({ tenantId, id }))).toEqual([
      { tenantId, siteId, id, kind, scanUrl, ...history },
    ])
  },
)

test('a page that is removed, without a URL, or of a site that is gone is not to be scanned', async () => {
  const { tenantId, page } = await makePage()
  const row = { tenant_id: tenantId, kind: 'other', label: 'Page', pattern: scanUrl, position: 0, scan_url: scanUrl }
  const ids = [randomUUID(), randomUUID(), randomUUID()] as const
  await insertRows(database, 'monitored_pages', [
    { ...row, site_id: page.siteId, id: ids[0], removed: true },
    { ...row, site_id: page.siteId, id: ids[1], scan_url: '' },
    { ...row, site_id: randomUUID(), id: ids[2] },
  ])
  for (const id of ids) expect(await database.read(listPagesToScan({ tenantId, id }))).toEqual([])
  const due = (await listDuePages(database, () => dayMs)).filter((one) => one.tenantId === tenantId)
  expect(due.map(({ id }) => id)).toEqual([page.id])
})

test.each([
  ['team', 'payment', undefined],
  ['professional', 'payment', { listsScripts: false }],
  ['business', 'payment', { listsScripts: true }],
  ['business', 'other', { listsScripts: false }],
] as const)('of the plan %s a %s page is due as %j', async (plan, kind, expected) => {
  const { tenantId, page } = await makePage(plan, kind)
  await store.importRecords(tenantId, scans, scansOf(page.id, 'c'))
  const due = await listDuePages(database, ({ id }) => (id === page.id ? hourMs : undefined))
  const dueAt = expect.any(Number)
  expect(due).toEqual(
    expected
      ? [{ id: page.id, siteId: page.siteId, scanUrl, tenantId, dueAt, scanId: expect.any(String), ...expected }]
      : [],
  )
  for (const one of due) expect(one.scanId).toBe(uuidV5(page.id, new Date(one.dueAt).toISOString()))
})
