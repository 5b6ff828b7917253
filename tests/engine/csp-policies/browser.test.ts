import { type Context, Hono } from 'hono'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeSiteToken, reportPath } from '../../../app/collector/site-address.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import { type BrowserOrigins, serveBrowsers } from '../../support/browser-origins.ts'
import { makeCertificate } from '../../support/certificate.ts'
import { launchChromium } from '../../support/chromium.ts'
import { startTestCollector, type TestCollector } from '../../support/collector.ts'
import type { TestKey } from '../../support/tenants.ts'

/** A page on app.test whose loads break its policy, reported by browsers of three families. */
const chrome = 'Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36'
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0'
const safari =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15'
const userAgents = [chrome, firefox, safari]
const pages = [1, 2, 3, 4]

/** Nothing but a nonce, and images of the page's own origin, one of which redirects. */
const firstPolicy =
  "default-src 'none'; img-src 'self'; script-src 'nonce-abc' 'report-sample'; style-src 'report-sample'; base-uri 'none'"

const certificate = makeCertificate()
const token = makeSiteToken()

let api: TestApi
let key: TestKey
let collector: TestCollector
let origins: BrowserOrigins
let browser: Browser
let siteId: string
let port: string

/** What the page is served with, and whether it is enforced. */
let served = { policy: firstPolicy, isEnforced: false }
const posts: string[] = []
const fetched = new Set<string>()

const at = (host: string, path: string) => `https://${host}.test:${port}${path}`

const page = (number: string) => `<!doctype html>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${at('css', '/a.css')}">
<script src="${at('cdn', '/lib/a.js')}"></script>
<script src="${at('app', '/main.js')}"></script>
<script>var inline = 1</script>
<p style="color:red">text</p>
<img src="${at('img', '/a/b.png')}">
<img src="data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==">
<iframe src="${at('frame', '/f.html')}"></iframe>
<video src="${at('media', '/v.mp4')}"></video>
${number === '1' ? `<script src="${at('once', '/x.js')}"></script>` : ''}`

/** The redirecting image is made by code: one of markup behind scripts is preloaded, and its redirect was not reported. */
const main = () => `
new Image().src = '/redirect'
fetch('${at('api', '/v1/x')}', { mode: 'no-cors' }).catch(() => {})
navigator.sendBeacon('${at('beacon', '/b')}')
try { new Worker('/worker.js') } catch {}
try { eval('1 + 1') } catch {}
new FontFace('F', 'url(${at('font', '/f.woff2')})').load().catch(() => {})`

function serve(c: Context) {
  const { host, pathname } = new URL(`https://${c.req.header('Host')}${c.req.path}`)
  fetched.add(`${host.split('.')[0]}${pathname}`)
  const headers = { 'Access-Control-Allow-Origin': '*' }
  const type = (text: string) => ({ ...headers, 'Content-Type': text })
  if (pathname.startsWith('/page/')) {
    const name = `Content-Security-Policy${served.isEnforced ? '' : '-Report-Only'}`
    const policy = `${served.policy}; report-uri ${at('app', reportPath(token))}`
    return c.body(page(pathname.slice(6)), 200, { ...type('text/html'), [name]: policy })
  }
  if (pathname === '/main.js') return c.body(main(), 200, type('text/javascript'))
  if (pathname === '/redirect') return c.redirect(at('target', '/r.png'))
  if (pathname.endsWith('.js')) return c.body('', 200, type('text/javascript'))
  if (pathname.endsWith('.css')) return c.body('', 200, type('text/css'))
  return c.body('', 200, type('text/html'))
}

beforeAll(async () => {
  api = await startApi()
  collector = await startTestCollector()
  const tenantId = await api.createTenant()
  siteId = await api.createSite(tenantId, { hosts: ['app.test'], token })
  key = await api.createKey(tenantId)
  const app = new Hono()
  app.post('/r/*', async (c, next) => {
    posts.push(await c.req.raw.clone().text())
    await next()
  })
  app.get('*', serve)
  app.post('/b', serve)
  origins = await serveBrowsers(app, certificate, collector.url)
  port = new URL(origins.https).port
  browser = await launchChromium('--host-resolver-rules=MAP *.test 127.0.0.1', certificate.chromiumSwitch)
})

afterAll(async () => {
  await browser?.close()
  origins?.close()
  await Promise.all([api?.close(), collector?.close()])
})

const reportedIn = (texts: readonly string[]) =>
  new Set(
    texts.map((text) => {
      const report = JSON.parse(text)['csp-report']
      const blocked = String(report['blocked-uri'])
      const source = blocked.includes('://') ? new URL(blocked).origin : blocked
      return `${report['effective-directive']} ${source}`
    }),
  )

const isOfEveryPage = (one: string) => !one.includes('//once.')

/** Each page in each browser, until these are reported of it; then until what a policy should allow is fetched. */
async function visit(policy: string, isEnforced: boolean, expected: readonly string[]): Promise<void> {
  served = { policy: policy.replaceAll('nonce-*', 'nonce-abc'), isEnforced }
  posts.length = 0
  fetched.clear()
  for (const userAgent of userAgents) {
    const context = await browser.newContext({ userAgent })
    for (const number of pages) {
      const before = posts.length
      const ofPage = expected.filter((one) => number === 1 || isOfEveryPage(one))
      const tab = await context.newPage()
      await tab.goto(at('app', `/page/${number}`), { waitUntil: 'domcontentloaded' })
      const missing = () => ofPage.filter((one) => !reportedIn(posts.slice(before)).has(one))
      await expect.poll(missing, { interval: 50 }).toEqual([])
    }
    await expect.poll(() => loads.filter((one) => !fetched.has(one)), { interval: 50 }).toEqual([])
    await context.close()
  }
}

/** Of every page. */
const loads = [
  ...['cdn/lib/a.js', 'app/main.js', 'app/worker.js', 'css/a.css', 'img/a/b.png', 'frame/f.html', 'media/v.mp4'],
  ...['font/f.woff2', 'api/v1/x', 'beacon/b'],
]

const allowed = () => [
  `connect-src ${at('api', '')}`,
  `connect-src ${at('beacon', '')}`,
  `font-src ${at('font', '')}`,
  `frame-src ${at('frame', '')}`,
  `img-src ${at('img', '')}`,
  'img-src data',
  `media-src ${at('media', '')}`,
  `script-src-elem ${at('app', '')}`,
  `script-src-elem ${at('cdn', '')}`,
  `style-src-elem ${at('css', '')}`,
]

const others = () => [
  `img-src ${at('app', '')}`,
  'script-src eval',
  'script-src-elem inline',
  `script-src-elem ${at('once', '')}`,
  'style-src-attr inline',
]

const workers = () => `worker-src ${at('app', '')}`

describe('from a browser’s reports to a policy', () => {
  let proposed: string

  test('the advice allows what every page loads, and neither inline code, eval, redirects nor what one page loads', async () => {
    const expected = [...allowed(), ...others(), workers()]
    await visit(firstPolicy, false, expected)
    const stored = async () => (await api.get(`/v1/reports/count?siteId=${siteId}`, { key })).body.data.reportCount
    await expect.poll(async () => posts.length - (await stored()), { interval: 200 }).toBe(0)
    const path = `/v1/sites/${siteId}/csp-policies/advice?newDays=0&limit=200`
    const { body } = await api.get(path, { key })
    const found: { directive: string; source: string; decision: string; reasons: string[] }[] = body.data.sources
    const of = (decision: (one: string) => boolean) =>
      found
        .filter((one) => decision(one.decision))
        .map(({ directive, source }) => `${directive} ${source}`)
        .sort()
    expect(of((decision) => decision === 'allow')).toEqual([...allowed(), workers()].sort())
    expect(of((decision) => decision !== 'allow')).toEqual(others().sort())
    const redirecting = found.find((one) => one.directive === 'img-src' && one.source === at('app', ''))
    expect(redirecting).toMatchObject({ decision: 'deny', reasons: ['redirect'] })
    proposed = body.data.proposed.text
  })

  test.each([false, true])('its policy reports nothing of them, and all others: enforced %s', async (isEnforced) => {
    await visit(proposed, isEnforced, others())
    const seen = reportedIn(posts)
    expect([...allowed(), workers()].filter((one) => seen.has(one))).toEqual([])
    if (isEnforced) {
      expect(fetched).not.toContain('once/x.js')
      expect(fetched).not.toContain('target/r.png')
    }
  })
})
