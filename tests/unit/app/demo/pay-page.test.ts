import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { readConfig } from '../../../../app/config.ts'
import { mountPayPage, payPageScans } from '../../../../app/demo/pay-page.ts'
import { isOutboundAllowed } from '../../../../app/worker/fetch/outbound-hosts.ts'
import { hourMs, minuteMs } from '../../../../schema/durations.ts'

let now = 0
const app = new Hono()
mountPayPage(app, () => now)

const get = (path: string) => app.request(`http://127.0.0.1:8788${path}`)
const policyOf = (response: Response) => response.headers.get('Content-Security-Policy')
const page = (id: string, scanUrl: string) => ({
  tenantId: '',
  siteId: '',
  id,
  kind: 'payment',
  scanUrl,
  lastScanAt: null,
  failures: 0,
})

test('the policy is there for three minutes and away for three, with another nonce each time', async () => {
  const sent: boolean[] = []
  for (now = 0; now < 12 * minuteMs; now += minuteMs) sent.push(policyOf(await get('/demo/pay')) !== null)
  expect(sent).toEqual([true, true, true, false, false, false, true, true, true, false, false, false])
  now = 0
  const [one, other] = [await get('/demo/pay'), await get('/demo/pay')].map(policyOf)
  expect(one).toMatch(/script-src 'nonce-[\w+/=]+' 'strict-dynamic'/)
  expect(one).not.toBe(other)
})

test('its scripts are there, one of another origin', async () => {
  const html = await (await get('/demo/pay')).text()
  const sources = [...html.matchAll(/ src="([^"]+)"/g)].map(([, src = '']) => new URL(src, 'http://127.0.0.1:8788'))
  expect(sources.map(({ origin }) => origin)).toEqual(['http://127.0.0.1:8788', 'http://localhost:8788'])
  for (const { pathname } of sources) {
    const response = await get(pathname)
    expect(response.headers.get('Content-Type')).toBe('text/javascript')
    expect(await response.text()).toMatch(/^document\./)
  }
})

test('it is scanned every two minutes, pages of hosts that do not exist never, and others as the settings say', () => {
  const { intervalOf } = payPageScans(readConfig({ SCAN_EVERY_HOURS: '12' }), 'http://127.0.0.1:8788')
  const demo = '5ec0de00-0000-4000-8000-000000010801'
  expect(intervalOf(page(demo, 'http://127.0.0.1:8788/demo/pay'))).toBe(2 * minuteMs)
  expect(intervalOf(page('other', 'https://shop.example.test/'))).toBe(undefined)
  expect(intervalOf(page('other', 'https://shop.example.com/'))).toBe(12 * hourMs)
})

test('its port of this machine is opened, beside what the settings open, and no other', () => {
  const { config } = payPageScans(readConfig({ OUTBOUND_ALLOWED: 'shop.lan' }), 'http://0.0.0.0:8788')
  const isOpen = (url: string) => isOutboundAllowed(config.OUTBOUND_ALLOWED, new URL(url))
  expect(['http://127.0.0.1:8788/', 'http://localhost:8788/', 'http://shop.lan/'].map(isOpen)).toEqual([
    true,
    true,
    true,
  ])
  expect(['http://127.0.0.1:8123/', 'http://localhost/', 'http://pay.lan/'].map(isOpen)).toEqual([false, false, false])
})
