import { Hono } from 'hono'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeSiteToken, siteAddress } from '../../../app/collector/site-address.ts'
import { type BrowserOrigins, serveBrowsers } from '../../support/browser-origins.ts'
import { makeCertificate } from '../../support/certificate.ts'
import { launchChromium } from '../../support/chromium.ts'
import { startTestCollector, type TestCollector } from '../../support/collector.ts'
import { queryRows } from '../../support/database.ts'

const certificate = makeCertificate()
const token = makeSiteToken()

let collector: TestCollector
let collectorOrigins: BrowserOrigins
let siteOrigins: BrowserOrigins
let siteId: string
let browser: Browser

beforeAll(async () => {
  collector = await startTestCollector()
  siteId = await collector.createSite(await collector.createTenant(), { hosts: ['localhost', '127.0.0.1'], token })
  collectorOrigins = await serveBrowsers(new Hono(), certificate, collector.url)
  const site = new Hono()
  site.get('/:scheme{https?}', (c) => {
    const { headers } = siteAddress(collectorOrigins[c.req.param('scheme') as 'http' | 'https'], token)
    for (const line of headers) {
      const [, name = '', value] = line.match(/^(.*?): (.*)$/) ?? []
      c.header(name, value)
    }
    return c.html('<!doctype html><img src="/images/missing.png" alt=""><script>window.inlined = 1</script>')
  })
  siteOrigins = await serveBrowsers(site, certificate, collector.url)
  browser = await launchChromium('--short-reporting-delay', certificate.chromiumSwitch)
})

afterAll(async () => {
  await browser?.close()
  for (const origins of [siteOrigins, collectorOrigins]) origins?.close()
  await collector?.close()
})

test.each([
  ['http', ['csp-violation script-src-elem window.inlined = 1']],
  ['https', ['csp-violation script-src-elem window.inlined = 1', 'network-error  ']],
] as const)('Chromium sends reports of a site with the printed headers to a collector over %s', async (scheme, all) => {
  const page = await browser.newPage()
  const url = `${siteOrigins[scheme]}/${scheme}`
  await page.goto(url)
  const statement = `
    SELECT DISTINCT concat(report_type, ' ', directive, ' ', sample) AS found FROM reports
    WHERE site_id = '${siteId}' AND document_url = '${url}' ORDER BY found`
  const found = async () => (await queryRows(collector.database, statement)).flat()
  await expect.poll(found, { interval: 200 }).toEqual(all)
})
