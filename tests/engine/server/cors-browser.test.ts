import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApi, type TestApi } from '../../support/api.ts'
import { launchChromium } from '../../support/chromium.ts'
import type { TestKey } from '../../support/tenants.ts'

let pages: Server
let origin: string
let api: TestApi
let key: TestKey
let browser: Browser

beforeAll(async () => {
  pages = createServer((_, response) => response.end('<!doctype html><title>Dashboard</title>'))
  await new Promise<void>((resolve) => pages.listen(0, resolve))
  origin = `http://localhost:${(pages.address() as AddressInfo).port}`
  api = await startApi({ corsOrigins: [origin] })
  const tenantId = await api.createTenant()
  const siteId = await api.createSite(tenantId)
  key = await api.createKey(tenantId, { siteId, origins: [origin] })
  browser = await launchChromium()
})
afterAll(async () => {
  await browser?.close()
  await api?.close()
  pages?.close()
})

/** What a page's script gets when it polls twice, the second time with the tag of the first. */
async function poll(pageUrl: string) {
  const page = await browser.newPage()
  await page.goto(pageUrl)
  return page.evaluate(
    async ([url, bearer]) => {
      const from = new Date(Date.now() - 3_600_000).toISOString()
      const to = new Date().toISOString()
      const target = `${url}/v1/reports/histogram?from=${from}&to=${to}`
      const ask = (headers: Record<string, string>) =>
        fetch(target, { headers: { Authorization: `Bearer ${bearer}`, ...headers } })
      try {
        const first = await ask({})
        const second = await ask({ 'If-None-Match': first.headers.get('ETag') ?? '' })
        const { data } = (await first.json()) as { data: { buckets: unknown[] } }
        return {
          statuses: [first.status, second.status],
          buckets: data.buckets.length,
          left: first.headers.get('RateLimit-Remaining'),
        }
      } catch (error) {
        return String(error)
      }
    },
    [api.url, key.key] as const,
  )
}

test('a page of a named origin polls a histogram, and sees tags and budgets', async () => {
  expect(await poll(origin)).toEqual({
    statuses: [200, 304],
    buckets: expect.any(Number),
    left: expect.stringMatching(/^\d+$/),
  })
})

test('a page of another origin gets nothing', async () => {
  expect(await poll(origin.replace('localhost', '127.0.0.1'))).toContain('Failed to fetch')
})
