import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeSiteToken } from '../../../app/collector/site-address.ts'
import { launchChromium } from '../../support/chromium.ts'
import { startTestCollector, type TestCollector } from '../../support/collector.ts'
import { queryRows } from '../../support/database.ts'

let collector: TestCollector
let pages: Server
let browser: Browser

beforeAll(async () => {
  collector = await startTestCollector()
  pages = createServer((_, response) => response.setHeader('Content-Type', 'text/html').end(page))
  await new Promise<void>((resolve) => pages.listen(0, resolve))
  browser = await launchChromium()
})
afterAll(async () => {
  await browser?.close()
  pages?.close()
  await collector?.close()
})

/** Sends reports with credentials, as beacons do: JSON has a preflight. */
const page = `<!doctype html><title>Shop</title><script>
  const report = (reason) => JSON.stringify([{ type: 'crash', url: 'https://shop.example/', body: { reason } }])
  const json = (reason) => new Blob([report(reason)], { type: 'application/json' })
  const headers = { 'Content-Type': 'application/reports+json' }
  async function sendAll(url) {
    navigator.sendBeacon(url, json('beacon'))
    navigator.sendBeacon(url, report('text beacon'))
    const sent = await fetch(url, { method: 'POST', credentials: 'include', headers, body: report('fetch') })
    const request = new XMLHttpRequest()
    request.open('POST', url)
    request.withCredentials = true
    request.setRequestHeader('Content-Type', 'application/json')
    const ended = new Promise((resolve) => { request.onloadend = resolve })
    request.send(report('xhr'))
    await ended
    const refused = await fetch(url, { method: 'POST', credentials: 'include', headers, body: '[' })
    return [sent.status, request.status, refused.status]
  }
</script>`

test.each(['the page', 'a sandboxed frame of it'])('Chromium’s scripts send with credentials from %s', async (from) => {
  const token = makeSiteToken()
  const siteId = await collector.createSite(await collector.createTenant(), { hosts: ['shop.example'], token })
  const tab = await browser.newPage()
  await tab.goto(`http://localhost:${(pages.address() as AddressInfo).port}`)
  if (from !== 'the page') {
    await tab.setContent(`<iframe sandbox="allow-scripts" srcdoc='${page.replaceAll("'", '&#39;')}'></iframe>`)
    await tab.waitForFunction('frames[0] !== undefined')
  }
  const frame = from === 'the page' ? tab.mainFrame() : tab.frames().at(-1)
  await frame?.waitForFunction('typeof sendAll === "function"')
  const url = `${collector.url}/r/${token}`
  expect(await frame?.evaluate(`sendAll(${JSON.stringify(url)}).catch(String)`)).toEqual([204, 204, 400])
  const reasons = () =>
    queryRows(
      collector.database,
      `SELECT feature, count() FROM reports WHERE site_id = '${siteId}' GROUP BY feature ORDER BY feature`,
    )
  const once = ['beacon', 'fetch', 'text beacon', 'xhr'].map((reason) => [reason, 1])
  await expect.poll(reasons).toEqual(once)
})

test('a preflight is answered for any origin, other methods are 405', async () => {
  const token = makeSiteToken()
  const send = (method: string) => fetch(`${collector.url}/r/${token}`, { method })
  const options = await send('OPTIONS')
  expect(options.status).toBe(204)
  expect(Object.fromEntries(options.headers)).toMatchObject({
    'access-control-allow-origin': '*',
    vary: 'Origin',
    'access-control-allow-methods': 'POST',
    'access-control-allow-headers': expect.stringContaining('Content-Type'),
  })
  const origin = 'https://shop.example'
  for (const method of ['OPTIONS', 'POST', 'GET']) {
    const response = await fetch(`${collector.url}/r/${token}`, { method, headers: { Origin: origin } })
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-credentials': 'true',
      vary: 'Origin',
    })
  }
  for (const method of ['GET', 'HEAD', 'PUT', 'DELETE']) {
    const response = await send(method)
    expect({ method, status: response.status, allow: response.headers.get('Allow') }).toEqual({
      method,
      status: 405,
      allow: 'POST, OPTIONS',
    })
  }
})
