import { afterAll, beforeAll, expect, test } from 'vitest'
import { monitoredPages } from '../../app/import/record-types/monitored-pages.ts'
import { paymentPage, type ScriptSites, sighting, startScriptSites } from '../support/script-sites.ts'

let sites: ScriptSites

beforeAll(async () => {
  sites = await startScriptSites()
})
afterAll(() => sites?.api.close())

const shop = 'https://shop.example.test'

test('2,000 payment pages are compared within the deadline, with and without wildcards', async () => {
  const site = await sites.create()
  const patterns = Array.from({ length: 2_000 }, (_, index) => `${shop}/pay/${index}${index % 20 === 0 ? '/*' : ''}`)
  const pages = patterns.map((pattern) => paymentPage(site, pattern))
  await sites.api.importRecords(site.tenantId, monitoredPages, pages)
  // The last two are no payment page: a rest behind an exact pattern, and two segments for one.
  const paths = ['/pay/1', '/pay/1999', '/pay/20/', '/pay/40/card', '/pay/1/card', '/pay/20/a/b']
  await sites.api.insertReports(paths.map((path) => sighting(site, 'a', 1, { documentUrl: shop + path })))
  const script = await sites.script(site, 'a')
  expect(script.activity).toMatchObject({ pageCount: 6, paymentPageCount: 4 })
})
