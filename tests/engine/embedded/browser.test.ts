import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { launchChromium } from '../../support/chromium.ts'
import { sendStatement, startTestEngine, type TestEngine } from '../../support/engine.ts'

/** A page of another origin in a real browser, which knows the engine's address and no password. */
let engine: TestEngine
let site: Server
let siteUrl: string
let browser: Browser
let page: Page

beforeAll(async () => {
  engine = await startTestEngine()
  await engine.write.command({ query: 'CREATE TABLE reports (id UInt64) ENGINE = MergeTree ORDER BY id' })
  await engine.write.command({ query: 'INSERT INTO reports VALUES (1)' })
  site = createServer((_, response) => response.setHeader('Content-Type', 'text/html').end('<title>evil</title>'))
  site.listen(0, '127.0.0.1')
  await once(site, 'listening')
  siteUrl = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`
  // A name whose owner lets it resolve to loopback, as a rebinding attack does.
  browser = await launchChromium('--host-resolver-rules=MAP rebound.example 127.0.0.1')
  page = await browser.newPage()
})

afterAll(async () => {
  await browser.close()
  site.close()
  await engine.end()
})

const drop = 'DROP TABLE reports'
const url = (statement: string) => `${engine.url}/?query=${encodeURIComponent(statement)}`

async function expectUntouched(): Promise<void> {
  expect((await sendStatement(engine, 'writer', 'SELECT count() FROM reports')).text).toBe('1\n')
}

describe('a page of another origin', () => {
  beforeEach(async () => {
    if (page.url() !== siteUrl) await page.goto(siteUrl)
  })

  test('a foreign page reads nothing with fetch, simple or with credentials', async () => {
    for (const init of [{}, { credentials: 'include' as const }, { method: 'POST', body: 'SELECT 1' }]) {
      const read = page.evaluate(([to, given]) => fetch(to, given).then((r) => r.text()), [
        url('SELECT 1'),
        init,
      ] as const)
      await expect(read).rejects.toThrow(/Failed to fetch/)
    }
  })

  test('a foreign page runs nothing with fetch in mode no-cors', async () => {
    const sent = await page.evaluate(
      async ([to, statement]) => {
        const get = await fetch(to, { mode: 'no-cors' })
        const post = await fetch(to, { mode: 'no-cors', method: 'POST', body: statement })
        return [get.type, post.type]
      },
      [url(drop), drop] as const,
    )
    expect(sent).toEqual(['opaque', 'opaque'])
    await expectUntouched()
  })

  test('a foreign page cannot send a password in a header, as the preflight fails', async () => {
    const headers = { Authorization: `Basic ${btoa('reader:guess')}`, 'X-ClickHouse-User': 'reader' }
    const read = page.evaluate(([to, given]) => fetch(to, { headers: given }), [url('SELECT 1'), headers] as const)
    await expect(read).rejects.toThrow(/Failed to fetch/)
  })

  test.each(['img', 'script'])('a foreign page runs nothing with <%s src>', async (tag) => {
    const source = url("SELECT '1' FORMAT RawBLOB")
    const handlers = `onload="document.title = 'loaded'" onerror="document.title = 'failed'"`
    await page.setContent(`<title></title><${tag} src="${source.replaceAll("'", '%27')}" ${handlers}></${tag}>`)
    await expect.poll(() => page.title()).toBe('failed')
  })

  test('a foreign page runs nothing with a form', async () => {
    const posted = page.waitForResponse((response) => response.url().startsWith(engine.url))
    const field = `<textarea name="x">${drop}</textarea>`
    await page.setContent(`<form method="post" enctype="text/plain" action="${url(drop)}">${field}</form>`)
    await page.evaluate('document.forms[0].submit()')
    expect((await posted).status()).toBe(500)
    // The form's navigation would interrupt that of the next test.
    await page.waitForURL(`${engine.url}/**`)
    await expectUntouched()
  })

  test('a page whose host is rebound to loopback reads nothing without a password', async () => {
    const { port } = engine
    const rebound = `http://rebound.example:${port}`
    await page.goto(`${rebound}/ping`)
    const text = await page.evaluate(
      (to) => fetch(to, { method: 'POST', body: 'SELECT * FROM reports' }).then((r) => r.text()),
      `${rebound}/`,
    )
    expect(text).toContain('USER_SESSION_LIMIT_EXCEEDED')
    await expectUntouched()
  })
})

test("ClickHouse's own SQL page serves the reader in a browser", async () => {
  const { username, password } = new URL(engine.userUrls.reader)
  await page.goto(`${engine.url}/play?user=${username}`)
  await page.fill('#password', password)
  await page.fill('#query', 'SELECT 6 * 7')
  await page.keyboard.press('Control+Enter')
  await page.getByText('42', { exact: true }).first().waitFor()
})
