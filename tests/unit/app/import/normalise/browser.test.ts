import { expect, test } from 'vitest'
import { readBrowser } from '../../../../../app/import/normalise/browser.ts'

const webkit = 'AppleWebKit/537.36 (KHTML, like Gecko)'
const iPhone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)'
/** The system that browsers name on an iPad that is to get the desktop's pages. */
const desktopMode = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)'

test.each([
  ['Chrome', 'Linux', 'desktop', `Mozilla/5.0 (X11; Linux x86_64) ${webkit} Chrome/156.0.0.0 Safari/537.36`],
  ['Chrome', 'Linux', 'desktop', `Mozilla/5.0 (X11; Linux x86_64) ${webkit} HeadlessChrome/156.0.0.0 Safari/537.36`],
  ['Chrome', 'Windows', 'desktop', `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/124.0 Safari/537.36`],
  ['Chrome', 'Chromium OS', 'desktop', `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${webkit} Chrome/124.0 Safari/537.36`],
  ['Chrome', 'Android', 'mobile', `Mozilla/5.0 (Linux; Android 10; K) ${webkit} Chrome/124.0.0.0 Mobile Safari/537.36`],
  [
    'Chrome',
    'Android',
    'mobile',
    `Mozilla/5.0 (Linux; Android 12; Pixel 6; wv) ${webkit} Version/4.0 Chrome/94.0 Mobile Safari/537.36`,
  ],
  ['Chrome', 'iOS', 'mobile', `${iPhone} CriOS/125.0 Mobile/15E148 Safari/604.1`],
  [
    'Edge',
    'Windows',
    'desktop',
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/124.0 Safari/537.36 Edg/124.0.0.0`,
  ],
  [
    'Opera',
    'Windows',
    'desktop',
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/124.0 Safari/537.36 OPR/110.0`,
  ],
  [
    'Samsung Internet',
    'Android',
    'mobile',
    `Mozilla/5.0 (Linux; Android 14; SM-S921B) ${webkit} SamsungBrowser/25.0 Chrome/121.0 Mobile Safari/537.36`,
  ],
  ['Firefox', 'Linux', 'desktop', 'Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0'],
  ['Firefox', 'Ubuntu', 'desktop', 'Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0'],
  ['Firefox', 'Android', 'mobile', 'Mozilla/5.0 (Android 14; Mobile; rv:126.0) Gecko/126.0 Firefox/126.0'],
  ['Firefox', 'iOS', 'mobile', `${iPhone} FxiOS/125.0 Mobile/15E148 Safari/604.1`],
  [
    'Safari',
    'Mac OS',
    'desktop',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Safari/605.1.15',
  ],
  ['Safari', 'iOS', 'mobile', `${iPhone} Version/17.5 Mobile/15E148 Safari/604.1`],
  [
    'Safari',
    'iOS',
    'tablet',
    'Mozilla/5.0 (iPad; CPU OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
  ],
  ['Chrome', 'iOS', 'tablet', `${desktopMode} CriOS/140 Version/11.1.1 Safari/605.1.15`],
  ['Firefox', 'iOS', 'tablet', `${desktopMode} FxiOS/126.0 Safari/605.1.15`],
  ['Edge', 'iOS', 'tablet', `${desktopMode} Version/17.0 EdgiOS/124.0.2478.50 Safari/604.1`],
  [
    'Chrome',
    'Mac OS',
    'desktop',
    `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${webkit} Chrome/140.0.0.0 Safari/537.36`,
  ],
  ['Chrome', '', 'unknown', 'CHROME/1'],
  ['', '', 'unknown', 'curl/8.5.0'],
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
