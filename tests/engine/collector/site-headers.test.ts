import { type Context, Hono } from 'hono'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeSiteToken, reportPath, reportUrlOf, siteAddress } from '../../../app/collector/site-address.ts'
import { storedTypeNames } from '../../../schema/report-types.ts'
import { headerKindNames, reportingHeaders } from '../../../schema/reporting-headers.ts'
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
    const { headers } = siteAddress(
      reportUrlOf(collectorOrigins[c.req.param('scheme') as 'http' | 'https'], token),
      token,
    )
    for (const line of headers) {
      const [, name = '', value] = line.match(/^(.*?): (.*)$/) ?? []
      c.header(name, value)
    }
    return c.html('<!doctype html><img src="/images/missing.png" alt=""><script>window.inlined = 1</script>')
  })
  site.get('/all', (c) => withAll(c, '<!doctype html><script src="/page.js"></script><p>A page'))
  for (const path of ['/rest', '/rest/without']) {
    const rest = `<!doctype html><link rel="icon" href="/icon.svg"><p>A page`
    site.get(path, (c) => (path === '/rest' ? withAll(c, rest) : c.html(rest)))
  }
  site.get('/icon.svg', (c) =>
    c.body('<svg xmlns="http://www.w3.org/2000/svg"/>', 200, { 'Content-Type': 'image/svg+xml' }),
  )
  site.get('/page.js', (c) => c.body(breaksAll, 200, { 'Content-Type': 'text/javascript' }))
  site.get('/without-policies', (c) => c.html('<!doctype html><p>A page without policies'))
  siteOrigins = await serveBrowsers(site, certificate, collector.url)
  browser = await launchChromium('--short-reporting-delay', certificate.chromiumSwitch)
})

/** A site that passes reports on from its own host. */
function withAll(c: Context, html: string) {
  for (const [name, value] of reportingHeaders(reportPath(token), headerKindNames)) c.header(name, value)
  return c.html(html)
}

/** Breaks each policy once. A turn of the mouse wheel is an intervention. */
const breaksAll = `
  const add = (tag, properties) => document.body.append(Object.assign(document.createElement(tag), properties))
  addEventListener('load', () => {
    add('img', { src: 'https://elsewhere.example/pixel.png' })
    navigator.geolocation.getCurrentPosition(() => {})
    try { new Profiler({ sampleInterval: 10, maxBufferSize: 10 }) } catch {}
    new RTCPeerConnection().createDataChannel('')
    const request = new XMLHttpRequest()
    request.open('GET', '/missing', false)
    request.send()
    addEventListener('wheel', (event) => event.preventDefault())
    add('iframe', { src: '/without-policies' })
    open('/without-policies')
  })`

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
  const statement = `
    SELECT DISTINCT concat(report_type, ' ', directive, ' ', sample) AS found FROM reports
    WHERE site_id = '${siteId}' AND document_url = '${url}' ORDER BY found`
  // A lookup of the site that takes 2 s is a 503, and Chromium never sends a report again.
  const found = async () => {
    await page.goto(url)
    return (await queryRows(collector.database, statement)).flat()
  }
  await expect.poll(found, { interval: 1_000 }).toEqual(all)
})

test('with the headers of all kinds Chromium sends a report of each, and loads the page as without them', async () => {
  const load = async (path: string) => {
    const page = await browser.newPage()
    const seen: string[] = []
    page.on('console', (message) => seen.push(message.text()))
    page.on('request', (request) => seen.push(request.url()))
    await page.goto(siteOrigins.https + path, { waitUntil: 'networkidle' })
    await page.close()
    return seen
  }
  const [rest = '', ...others] = await load('/rest')
  expect([`${rest}/without`, ...others]).toEqual(await load('/rest/without'))

  const page = await browser.newPage()
  await page.goto(`${siteOrigins.https}/all`, { waitUntil: 'load' })
  await page.mouse.wheel(0, 100)
  const types = async () => (await queryRows(collector.database, ofSite)).flat()
  const ofSite = `SELECT DISTINCT report_type FROM reports WHERE site_id = '${siteId}' ORDER BY report_type`
  await expect.poll(types, { interval: 200 }).toEqual(expect.arrayContaining(['coop', 'intervention']))
  const session = await page.context().newCDPSession(page)
  session.send('Page.crash').catch(() => {})
  await expect.poll(types, { interval: 200, timeout: 60_000 }).toEqual([...storedTypeNames].sort())
})
