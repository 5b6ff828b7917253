import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { Hono } from 'hono'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeSiteToken, reportPath } from '../../../app/collector/site-address.ts'
import { mountTryPage } from '../../../app/collector/try-page.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import { type BrowserOrigins, serveBrowsers } from '../../support/browser-origins.ts'
import { makeCertificate } from '../../support/certificate.ts'
import { launchChromium } from '../../support/chromium.ts'
import { startTestCollector, type TestCollector } from '../../support/collector.ts'
import type { TestKey } from '../../support/tenants.ts'

const run = promisify(execFile)
const certificate = makeCertificate()

let api: TestApi
let key: TestKey
let collector: TestCollector
let origins: BrowserOrigins
let browser: Browser
/** Each page over each scheme, loaded once: the tests that press its buttons come after those of it at rest. */
let loaded: ReadonlyMap<string, LoadedPage>
const posts: { readonly mediaType: string | undefined; readonly text: string }[] = []

beforeAll(async () => {
  api = await startApi()
  collector = await startTestCollector()
  const tenantId = await api.createTenant()
  const token = makeSiteToken()
  await api.createSite(tenantId, { hosts: ['localhost', '127.0.0.1'], token })
  key = await api.createKey(tenantId)
  const app = new Hono()
  app.post('/r/*', async (c, next) => {
    posts.push({ mediaType: c.req.header('Content-Type'), text: await c.req.raw.clone().text() })
    await next()
  })
  mountTryPage(app, { reportPath: reportPath(token), apiUrl: api.url, apiKey: key.key })
  origins = await serveBrowsers(app, certificate, collector.url)
  browser = await launchChromium('--short-reporting-delay', certificate.chromiumSwitch)
  const urls = ['/try', '/try/report-uri'].flatMap((path) => [origins.http + path, origins.https + path])
  loaded = new Map(await Promise.all(urls.map(async (url) => [url, await load(url)] as const)))
})

afterAll(async () => {
  await browser?.close()
  origins?.close()
  await Promise.all([api?.close(), collector?.close()])
})

const csp = (directive: string, blockedHost: string) => ({
  reportType: 'csp-violation',
  disposition: 'enforce',
  directive,
  blockedHost,
})

/** Label of each button and the report that follows. */
const rows: readonly (readonly [string, object])[] = [
  ['Run an inline script', csp('script-src-elem', 'inline')],
  ['Load an image from elsewhere', csp('img-src', 'elsewhere.example')],
  ['Fetch from elsewhere', csp('connect-src', 'elsewhere.example')],
  ['Run text as code', csp('script-src', 'eval')],
  ['Load a script without a hash', { reportType: 'integrity-violation', destination: 'script' }],
  ['Locate this device', { reportType: 'permissions-policy-violation', feature: 'geolocation' }],
  ['Profile this page', { reportType: 'document-policy-violation', feature: 'js-profiling' }],
  ['Open a WebRTC connection', { reportType: 'connection-allowlist', blockedHost: 'webrtc' }],
  ['Send a synchronous request', { reportType: 'deprecation', feature: expect.stringMatching(/^XMLHttpRequestSync/) }],
  ['Cancel the next scroll', { reportType: 'intervention', feature: 'PreventDefaultPassive' }],
  ['Embed a page without policies', { reportType: 'coep', feature: 'navigation' }],
]
const secureRows: typeof rows = [
  ['Open a page without policies', { reportType: 'coop', feature: 'navigation-from-response' }],
  ['Request a missing page', { reportType: 'network-error', feature: 'http.error', statusCode: 404 }],
]

interface LoadedPage {
  readonly page: Page
  /** Of its load. */
  readonly messages: readonly string[]
  readonly requests: readonly string[]
}

async function load(url: string): Promise<LoadedPage> {
  const page = await browser.newPage()
  const messages: string[] = []
  const requests: string[] = []
  page.on('console', (message) => messages.push(message.text()))
  page.on('request', (request) => requests.push(request.url()))
  await page.goto(url, { waitUntil: 'networkidle' })
  return { page, messages: [...messages], requests: [...requests] }
}

function pageAt(url: string): LoadedPage {
  const found = loaded.get(url)
  if (!found) throw new Error(`${url} was not loaded`)
  return found
}

const rowOf = (page: Page, label: string) =>
  page.getByRole('listitem').filter({ has: page.getByRole('button', { name: label }) })

/** Presses each button, one after the other: their reports come together. */
async function press(page: Page, pressed: typeof rows): Promise<void> {
  for (const [label] of pressed) {
    const row = rowOf(page, label)
    await row.getByRole('button').click()
    await row.getByText(/^\d.*: ./).waitFor()
    await page.mouse.wheel(0, 100)
  }
}

/** Runs the curl line below a pressed button through a shell until it prints a report. */
async function reportOf(page: Page, label: string): Promise<unknown> {
  const line = (await rowOf(page, label).locator('pre').textContent()) ?? ''
  const find = async () => JSON.parse((await run('sh', ['-c', line])).stdout).data
  await expect.poll(find, { interval: 200 }).toHaveLength(1)
  const [report] = await find()
  return report
}

describe('a page at rest', () => {
  const pages = ['/try', '/try/report-uri'].flatMap((path) => [[path, 'http'] as const, [path, 'https'] as const])

  test.each(pages)('Chromium accepts every header of %s over %s, and loads the page alone', (path, scheme) => {
    const { messages, requests } = pageAt(origins[scheme] + path)
    expect(messages).toEqual([])
    expect(requests).toEqual([origins[scheme] + path])
  })
})

describe('the page over https, from which the browser delivers', () => {
  let page: Page
  beforeAll(async () => {
    page = pageAt(`${origins.https}/try`).page
    await press(page, [...rows, ...secureRows])
  })

  test('has a button for each expected report', async () => {
    const labels = [...rows, ...secureRows].map(([label]) => label)
    expect(await page.getByRole('button', { disabled: false }).allTextContents()).toEqual(labels)
  })

  test.each([...rows, ...secureRows])('%s: the curl line finds the report', async (label, expected) => {
    const documentUrl = `${origins.https}/try`
    expect(await reportOf(page, label)).toMatchObject({ ...expected, documentUrl, browserName: 'Chrome' })
  })
})

describe('the page over http, to which browsers deliver report-uri alone', () => {
  let page: Page
  beforeAll(async () => {
    page = pageAt(`${origins.http}/try`).page
    await press(page, rows)
  })

  test('has no button for a report that only https has', async () => {
    const labels = secureRows.map(([label]) => label)
    expect(await page.getByRole('button', { disabled: true }).allTextContents()).toEqual(labels)
  })

  test.each(rows)('%s: the curl line finds the report', async (label, expected) => {
    expect(await reportOf(page, label)).toMatchObject({ ...expected, documentUrl: `${origins.http}/try` })
  })
})

test('without report-to the browser delivers to report-uri, over https too', async () => {
  const documentUrl = `${origins.https}/try/report-uri`
  const { page } = pageAt(documentUrl)
  await page.getByRole('button', { name: 'Load an image from elsewhere' }).click()
  const mediaTypes = () => posts.filter(({ text }) => text.includes(documentUrl)).map(({ mediaType }) => mediaType)
  await expect.poll(mediaTypes).toEqual(['application/csp-report'])
  const path = '/v1/reports?directive=img-src&documentHost=localhost&limit=1'
  const newest = async () => (await api.get(path, { key })).body.data
  await expect.poll(newest).toMatchObject([{ ...csp('img-src', 'elsewhere.example'), documentUrl }])
})
