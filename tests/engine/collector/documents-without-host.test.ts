import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeSiteToken } from '../../../app/collector/site-address.ts'
import { launchChromium } from '../../support/chromium.ts'
import { startTestCollector, type TestCollector } from '../../support/collector.ts'
import { queryRows } from '../../support/database.ts'

let collector: TestCollector
let tenantId: string
let pages: Server
let browser: Browser

/** Opens six documents that have the page's policy and no host; each requests what the policy blocks. */
const page = `<!doctype html><title>Shop</title><body><script>
  const image = (name) => '<img src="https://blocked.example/' + name + '">'
  const open = (url) => Object.assign(document.body.appendChild(document.createElement('iframe')), url)
  open({ srcdoc: image('srcdoc') })
  open({ sandbox: 'allow-scripts', srcdoc: image('sandboxed') })
  open({}).contentDocument.body.innerHTML = image('filled')
  open({ src: URL.createObjectURL(new Blob([image('blob')], { type: 'text/html' })) })
  new Worker(URL.createObjectURL(new Blob(['fetch("https://blocked.example/worker").catch(() => {})'])))
  window.open('about:blank').document.body.innerHTML = image('popup')
</script>`

beforeAll(async () => {
  collector = await startTestCollector()
  tenantId = await collector.createTenant()
  pages = createServer(({ url }, response) => {
    const policy = `default-src 'self' blob: 'unsafe-inline'; img-src 'none'; report-uri ${collector.url}/r${url}`
    response.writeHead(200, { 'Content-Security-Policy': policy, 'Content-Type': 'text/html' }).end(page)
  })
  await new Promise<void>((resolve) => pages.listen(0, host, resolve))
  browser = await launchChromium()
})

const host = '127.0.0.1'

async function createSite() {
  const token = makeSiteToken()
  return { token, siteId: await collector.createSite(tenantId, { hosts: [host], token }) }
}

const documents = (siteId: string) =>
  queryRows(collector.database, `SELECT document_url, document_host FROM reports WHERE site_id = '${siteId}'`)

afterAll(async () => {
  await browser?.close()
  pages?.close()
  await collector?.close()
})

test('Chromium’s reports of documents without a host are stored for the site of the token', async () => {
  const { siteId, token } = await createSite()
  const tab = await browser.newPage()
  await tab.goto(`http://${host}:${(pages.address() as AddressInfo).port}/${token}`)
  const stored = () =>
    queryRows(
      collector.database,
      `SELECT blocked_url, document_url, document_host, directive, noise
      FROM reports
      WHERE site_id = '${siteId}' AND blocked_host = 'blocked.example'
      ORDER BY blocked_url`,
    )
  await expect.poll(stored).toEqual([
    ['https://blocked.example/blob', 'blob', '', 'img-src', false],
    ['https://blocked.example/filled', 'about', '', 'img-src', false],
    ['https://blocked.example/popup', 'about', '', 'img-src', false],
    ['https://blocked.example/sandboxed', 'about', '', 'img-src', false],
    ['https://blocked.example/srcdoc', 'about', '', 'img-src', false],
    ['https://blocked.example/worker', 'blob', '', 'connect-src', false],
  ])
})

const bodies = (url: string) => [
  [{ type: 'csp-violation', url, body: { documentURL: url, effectiveDirective: 'img-src', blockedURL: 'inline' } }],
  { 'csp-report': { 'document-uri': url, 'effective-directive': 'img-src', 'blocked-uri': 'inline' } },
]

/** At once, for one block. */
async function postAll(token: string, url: string): Promise<void> {
  const posted = await Promise.all(bodies(url).map((body) => collector.post(token, body)))
  expect(posted.map(({ status }) => status)).toEqual([204, 204])
}

test.each([
  ['about', 'about'],
  ['about:srcdoc', 'about'],
  ['data:text/html,<b>', 'data'],
  [`blob:https://${host}/6d1b0c1e`, 'blob'],
  ['blob:null/6d1b0c1e', 'blob'],
  ['', ''],
])('the document %j has no host, and its reports are stored', async (url, page) => {
  const { siteId, token } = await createSite()
  await postAll(token, url)
  expect(await documents(siteId)).toEqual(bodies(url).map(() => [page, '']))
})

test.each(['blob:https://other.example/6d1b0c1e', 'https://other.example/', 'https://', 'https://[bad/'])(
  'the document %s is another’s, and its reports are dropped',
  async (url) => {
    const { siteId, token } = await createSite()
    await postAll(token, url)
    expect(await documents(siteId)).toEqual([])
  },
)
