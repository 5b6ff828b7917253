import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readBrowser } from '../../../../../app/import/normalise/browser.ts'
import { capturedLines } from '../../../../../fixtures/captured-posts.ts'

const webkit = 'AppleWebKit/537.36 (KHTML, like Gecko)'
/** The system that browsers name on an iPad that is to get the desktop's pages. */
const desktopMode = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)'

/** Browsers in use in 2026, and what has been stored of each since the first release. */
const userAgents = readFileSync(new URL('user-agents.tsv', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .slice(1)
  .map((line) => line.split('\t') as [string, string, string, string, string])

test.each(userAgents)('%s %s on %s, %s: %s', (browserName, browserVersion, osName, deviceType, userAgent) => {
  expect(readBrowser(userAgent)).toEqual({ browserName, browserVersion, osName, deviceType })
})

test('every user agent of the captured posts names its browser, system and device', async () => {
  const found = new Set<string>()
  for await (const line of capturedLines()) {
    const { browserName, osName, deviceType } = readBrowser(JSON.parse(line).userAgent)
    found.add([browserName, osName, deviceType].join())
  }
  expect([...found].sort()).toEqual(['Chrome,Linux,desktop', 'Firefox,Linux,desktop'])
})

test.each([
  ['Firefox', 'iOS', 'tablet', `${desktopMode} FxiOS/126.0 Safari/605.1.15`],
  ['Edge', 'iOS', 'tablet', `${desktopMode} Version/17.0 EdgiOS/124.0.2478.50 Safari/604.1`],
  ['Chrome', '', 'unknown', 'CHROME/1'],
  ['', '', 'unknown', ''],
  ['', '', 'unknown', '   '],
])('the user agent is read as %s on %s, %s', (browserName, osName, deviceType, userAgent) => {
  expect(readBrowser(userAgent)).toMatchObject({ browserName, osName, deviceType })
})

test('a television has the device type unknown', () => {
  const television =
    'Mozilla/5.0 (SMART-TV; Linux; Tizen 6.0) AppleWebKit/537.36 (KHTML, like Gecko) 76.0/6.0 TV Safari/537.36'
  expect(readBrowser(television).deviceType).toBe('unknown')
})

test('the browser version is stored as the browser sends it', () => {
  const chrome = `Mozilla/5.0 (X11; Linux x86_64) ${webkit} HeadlessChrome/156.0.1.2 Safari/537.36`
  expect(readBrowser(chrome).browserVersion).toBe('156.0.1.2')
})

test('only the start of a long user agent is read', () => {
  const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0 '
  expect(readBrowser(firefox + 'x'.repeat(1_000_000)).browserName).toBe('Firefox')
  expect(readBrowser('x'.repeat(1_000) + firefox).browserName).toBe('')
})
