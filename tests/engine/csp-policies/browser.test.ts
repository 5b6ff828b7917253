import type { Browser, CDPSession, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeSiteToken, reportPath } from '../../../app/collector/site-address.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import { type BrowserOrigins, serveBrowsers } from '../../support/browser-origins.ts'
import { makeCertificate } from '../../support/certificate.ts'
import { launchChromium } from '../../support/chromium.ts'
import { startTestCollector, type TestCollector } from '../../support/collector.ts'
import { servePage } from '../../support/served-page.ts'
import type { TestKey } from '../../support/tenants.ts'
import {
  createViolatingSite,
  firstPolicy,
  type PostedReport,
  pageNumbers,
  type ViolatingSite,
} from '../../support/violating-site.ts'

const userAgents = [
  'Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36',
  'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15',
]

const certificate = makeCertificate()
const token = makeSiteToken()

let api: TestApi
let key: TestKey
let collector: TestCollector
let origins: BrowserOrigins
let browser: Browser
let tab: Page
let devTools: CDPSession
let site: ViolatingSite
let tenantId: string
let siteId: string
let port: string

const at = (host: string, path: string) => `https://${host}.test:${port}${path}`

beforeAll(async () => {
  api = await startApi()
  collector = await startTestCollector()
  tenantId = await api.createTenant()
  siteId = await api.createSite(tenantId, { hosts: ['app.test'], token })
  key = await api.createKey(tenantId)
  site = createViolatingSite(at, reportPath(token), firstPolicy)
  origins = await serveBrowsers(site.app, certificate, collector.url)
  port = new URL(origins.https).port
  browser = await launchChromium('--host-resolver-rules=MAP *.test 127.0.0.1', certificate.chromiumSwitch)
  const context = await browser.newContext()
  tab = await context.newPage()
  devTools = await context.newCDPSession(tab)
})

afterAll(async () => {
  await browser?.close()
  origins?.close()
  await Promise.all([api?.close(), collector?.close()])
})

/** Directive and source of each load that the advice is to allow, the file at its end. */
const allowed = () => [
  ...['api', 'beacon', 'events'].map((host) => `connect-src ${at(host, '')}`),
  `connect-src ${at('socket', '').replace('https', 'wss')}`,
  `font-src ${at('font', '')}`,
  `form-action ${at('frame', '')}`,
  ...['frame', 'object'].map((host) => `frame-src ${at(host, '')}`),
  'img-src data',
  `img-src ${at('img', '')}`,
  `media-src ${at('media', '')}`,
  `object-src ${at('object', '')}`,
  ...['app', 'cdn'].map((host) => `script-src-elem ${at(host, '')}`),
  `style-src-elem ${at('css', '')}`,
  `worker-src ${at('app', '')}`,
]

const allowedFiles = [
  ...['api/v1/x', 'app/main.js', 'app/worker.js', 'beacon/b', 'cdn/lib/a.js', 'css/a.css', 'events/e', 'font/f.woff2'],
  ...['frame/f.html', 'frame/form', 'img/a/b.png', 'media/v.mp4', 'object/o.html', 'socket/s'],
]

/** The image of the page's own origin redirects. */
const denied = () => [
  `base-uri ${at('app', '')}`,
  `img-src ${at('app', '')}`,
  ...['script-src eval', 'script-src wasm-eval', 'script-src-attr inline', 'script-src-elem inline'],
  ...['style-src-attr inline', 'style-src-elem inline', 'trusted-types trusted-types-policy'],
]

/** Of one browser. */
const odd = () => `img-src ${at('odd', '')}`

/** Of bundlers, for review. */
const blob = 'worker-src blob'

/** Of one page; loaded when all else was. */
const last = () => `img-src ${at('last', '')}`

const kindOf = (report: Record<string, unknown>) => {
  const blocked = String(report['blocked-uri'])
  return `${report['effective-directive']} ${blocked.includes('://') ? new URL(blocked).origin : blocked}`
}

/** Kinds by page. */
function reportedBy(posts: readonly PostedReport[]): Map<string, Set<string>> {
  const pages = new Map(pageNumbers.map((number) => [at('app', `/page/${number}`), new Set<string>()]))
  for (const { body } of posts) {
    const report = JSON.parse(body)['csp-report']
    pages.get(report['document-uri'])?.add(kindOf(report))
  }
  return pages
}

const kindsOf = (posts: readonly PostedReport[]) =>
  new Set([...reportedBy(posts).values()].flatMap((kinds) => [...kinds]))

/** All pages in each browser, until each reported these and what a policy should allow was fetched. */
async function visit(policy: string, isEnforced: boolean, expected: readonly string[]): Promise<void> {
  site.served = { policy: policy.replaceAll('nonce-*', 'nonce-abc'), isEnforced }
  site.posts.length = 0
  for (const userAgent of userAgents) {
    site.fetched.clear()
    const before = site.posts.length
    const isOdd = userAgent.includes('Firefox')
    await devTools.send('Emulation.setUserAgentOverride', { userAgent })
    const load = () => tab.goto(at('app', '/'), { waitUntil: 'domcontentloaded' })
    await load()
    const ofPage = isOdd ? [...expected, odd()] : expected
    const missing = () =>
      [...reportedBy(site.posts.slice(before))].flatMap(([page, kinds]) =>
        ofPage.filter((kind) => !kinds.has(kind)).map((kind) => `${page} ${kind}`),
      )
    await untilReported(missing, load)
    await expect.poll(() => allowedFiles.filter((file) => !site.fetched.has(file)), { interval: 50 }).toEqual([])
    await tab.evaluate(`frames[0].postMessage('${at('last', '/l.png')}', '*')`)
    await expect.poll(() => kindsOf(site.posts.slice(before)).has(last()), { interval: 50 }).toBe(true)
  }
}

/** On a busy machine Chromium loses reports: pages that send no more are loaded again. */
async function untilReported(missing: () => string[], load: () => Promise<unknown>): Promise<void> {
  const silence = { posts: 0, polls: 0 }
  async function reloadIfSilent(): Promise<string[]> {
    const posts = site.posts.length
    Object.assign(silence, { posts, polls: silence.posts === posts ? silence.polls + 1 : 0 })
    if (silence.polls === 200) {
      silence.polls = 0
      await load()
    }
    return missing()
  }
  await expect.poll(reloadIfSilent, { interval: 50 }).toEqual([])
}

describe('from a browser’s reports to a policy', () => {
  let proposed: string

  test('the advice allows what every page loads, and no inline code, eval, redirects, or loads of one page or browser', async () => {
    await visit(firstPolicy, false, [...allowed(), ...denied(), blob])
    const type = 'application/csp-report'
    const sent = site.posts.map(({ body, userAgent }) =>
      collector.post(token, body, { type, headers: { 'User-Agent': userAgent } }),
    )
    expect(new Set((await Promise.all(sent)).map(({ status }) => status))).toEqual(new Set([204]))
    const sources = [...allowed(), odd(), last(), blob].map((kind) => {
      const [directive = '', source = ''] = kind.split(' ')
      return { directive, source }
    })
    const policy = `${firstPolicy}; report-uri ${at('app', reportPath(token))}`
    const headers = { 'content-security-policy-report-only': policy }
    await servePage(api, { tenantId, siteId }, { headers, sources })
    const path = `/v1/sites/${siteId}/csp-policies/advice?newDays=0&limit=200`
    const { body } = await api.get(path, { key })
    const found: { directive: string; source: string; decision: string; reasons: string[] }[] = body.data.sources
    const of = (wanted: string) =>
      found
        .filter(({ decision }) => decision === wanted)
        .map(({ directive, source }) => `${directive} ${source}`)
        .sort()
    expect(of('allow')).toEqual(allowed().sort())
    expect(of('deny')).toEqual(denied().sort())
    expect(of('review')).toEqual([last(), odd(), blob].sort())
    const reasonsOf = (kind: string) => found.find((one) => `${one.directive} ${one.source}` === kind)?.reasons
    expect(reasonsOf(`img-src ${at('app', '')}`)).toEqual(['redirect'])
    expect(reasonsOf(odd())).toEqual(['low_confidence', 'single_browser'])
    proposed = body.data.proposed.text
  })

  test.each([false, true])('its policy reports nothing of them, and all others: enforced %s', async (isEnforced) => {
    await visit(proposed, isEnforced, [...denied(), blob])
    const reported = kindsOf(site.posts)
    expect(allowed().filter((kind) => reported.has(kind))).toEqual([])
    if (!isEnforced) return
    for (const file of ['last/l.png', 'odd/o.png', 'target/r.png']) expect(site.fetched).not.toContain(file)
  })
})
