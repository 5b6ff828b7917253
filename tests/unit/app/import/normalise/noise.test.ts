import { describe, expect, test } from 'vitest'
import { isNoise } from '../../../../../app/import/normalise/noise.ts'
import { aReport } from '../../../../../fixtures/reports.ts'
import { normalised } from '../../../../support/normalised.ts'

const noise = (blockedUrl: string, sourceFile = '', policy = "default-src 'self'") =>
  isNoise(aReport({ blockedUrl, sourceFile, policy }))

describe('a report is noise', () => {
  test.each([
    'chrome-extension://nmmhkkegccagdldgiimedpiccmgmieda/inject.js',
    'moz-extension',
    'SAFARI-WEB-EXTENSION://abc/x.js',
    'about:blank',
    'about',
    'webkit-masked-url://hidden/',
    'resource://gre/modules/x.js',
    'mxjscall://x',
    'android-webview-video-poster:default_video_poster/-1',
    'https://gc.kis.v2.scr.kaspersky-labs.com/1B74BD89/main.js',
    'https://KASPERSKY-LABS.com:8443/main.js',
    'wss://local.adguard.org/ws',
    'http://www.superfish.com/ws/sf_main.jsp?dlsource=x',
    'chromeinvokeimmediate://x',
    'mbinit://x',
    'mxaddon-pkg',
    'https://dl.metabar.ru/x.js',
    'https://nikkomsgchannel/e?001c0050',
    'se-extension://ext-1020170312/a.js',
    'gap-iab://InAppBrowser1',
    'null',
    'none://rapport-daishi-request-d',
    'https://infird.com/cdn/a.js',
    'https://r.2cdn.perplexity.ai/fonts/a.woff2',
  ])('a report is noise for %s, as its blocked URL and as its source', (url) => {
    expect(noise(url)).toBe(true)
    expect(noise('inline', url)).toBe(true)
  })
})

test('a blocked host without a dot is noise, but on pages of such a host and where the policy names it', () => {
  const of = (documentUrl: string, policy: string) =>
    isNoise(aReport({ documentUrl, policy, blockedUrl: 'https://made-up-host:8443/x.js' }))
  expect(of('https://shop.example.test/', "default-src 'self'")).toBe(true)
  expect(of('https://intranet/', "default-src 'self'")).toBe(false)
  expect(of('https://shop.example.test/', 'default-src made-up-host')).toBe(false)
})

describe('a report is not noise', () => {
  test.each([
    '',
    'inline',
    'eval',
    'data',
    'blob:https://shop.example.test/1',
    'https://px.metrics.test/collect.js',
    'https://notavast.com/x.js',
    'https://avast.com.evil.test/x.js',
    'https://shop.example.test/?u=chrome-extension://x',
    'chrome-extensions://x',
    'webrtc',
    'not a url',
    'https://github.com/a.js',
    'https://s3.amazonaws.com/a.js',
    'https://www.googletagmanager.com/gtm.js',
    'http://localhost:3000/a.js',
    'http://[::1]/a.js',
    'https://192.0.2.1/a.js',
  ])('a report is not noise for %j', (url) => {
    expect(noise(url)).toBe(false)
    expect(noise('inline', url)).toBe(false)
  })
})

test.each(['https://shop.avast.com/app.js', 'https://SHOP.avast.com:8443/app.js'])(
  'the page’s own host is no noise, whatever it is: %s',
  (sourceFile) => {
    const report = aReport({ documentUrl: 'https://shop.avast.com/pay', blockedUrl: 'https://a.test/x.js', policy: '' })
    expect(isNoise({ ...report, sourceFile })).toBe(false)
    expect(isNoise({ ...report, sourceFile: 'https://avast.com/app.js' })).toBe(true)
  },
)

test('a script of about:srcdoc is no noise in a report of its own document', () => {
  const report = { ...aReport({ blockedUrl: 'inline', policy: '' }), sourceFile: 'about:srcdoc' }
  expect(isNoise({ ...report, documentUrl: 'about' })).toBe(false)
  expect(isNoise({ ...report, documentUrl: 'https://shop.test/' })).toBe(true)
  expect(isNoise({ ...report, documentUrl: 'about', sourceFile: 'chrome-extension://abc/x.js' })).toBe(true)
})

describe('a host that the quoted policy names', () => {
  const url = 'https://cdn.webroot.com/x.js'
  test.each([
    "script-src 'self' cdn.webroot.com",
    'script-src https://cdn.webroot.com/path/',
    'script-src https://CDN.webroot.com:443',
    'img-src *.webroot.com;',
    'connect-src\twss://*.com',
    'img-src a.test, script-src https://cdn.webroot.com, style-src b.test',
    '("https://cdn.webroot.com/*" response-origin)',
  ])('a host that the policy names is no noise: %s', (policy) => {
    expect(noise(url, '', policy)).toBe(false)
    expect(noise('', url, policy)).toBe(false)
  })

  test.each([
    '',
    "script-src 'self'",
    'script-src webroot.com',
    'script-src *.cdn.webroot.com',
    'script-src xcdn.webroot.com',
    'script-src *',
  ])('a host is noise beside the policy %j, which does not name it', (policy) => {
    expect(noise(url, '', policy)).toBe(true)
  })

  test('a host that the policy names does not excuse another host', () => {
    expect(noise(url, 'https://avast.com/y.js', 'script-src cdn.webroot.com')).toBe(true)
  })
})

describe('a blocked host without a scheme', () => {
  const blocked = (blockedUrl: string) => isNoise(aReport({ blockedUrl, sourceFile: '', policy: '' }), true)

  test.each(['gc.kis.v2.scr.kaspersky-labs.com', 'GC.kaspersky-labs.com:443'])(
    'the bare host %s is of a product',
    (host) => {
      expect(blocked(host)).toBe(true)
    },
  )

  test.each(['res', 'about:8080', 'chrome', 'webrtc'])('the bare word %s is a host, not a scheme', (host) => {
    expect(blocked(host)).toBe(false)
  })

  test('a scheme among blocked URLs is read as a URL', () => {
    expect(blocked('chrome-extension://abc/x.js')).toBe(true)
  })
})

test.each([
  [null, true],
  [undefined, false],
  ['', false],
])('a blocked URL of %j is noise: %s', (blocked, isOfBrowser) => {
  const body = {
    'document-uri': 'https://shop.example.test/',
    'blocked-uri': blocked,
    'effective-directive': 'img-src',
  }
  expect(normalised({ 'csp-report': body })).toMatchObject([{ blockedUrl: '', noise: isOfBrowser }])
})

test('a host longer than any name of DNS is no product’s', () => {
  expect(noise(`https://${'a.'.repeat(4_000)}kaspersky-labs.com/x.js`)).toBe(false)
})

test.each([
  'try { for(var lastpass_iter=0; lastpass_i',
  'try {\r\n  window.AG_onLoad = function(func)',
  ';(function installGlobalHook(window) { va',
  '(function(){window.oldSetTimeout=window.set',
  'window["_gaUserPrefs"] = { ioo : functio...',
  '#s3gt_translate_tooltip_mini { display: n',
  '(function injected(eventName, injectedIn',
])('the sample of a known content script is noise: %s', (sample) => {
  expect(isNoise(aReport({ blockedUrl: 'inline', sourceFile: '', sample }))).toBe(true)
})

test.each(['', 'window.dataLayer = window.dataLayer || [];', 'var lastPass = 1'])(
  'the sample of a page’s own script is no noise: %s',
  (sample) => {
    expect(isNoise(aReport({ blockedUrl: 'inline', sourceFile: '', sample }))).toBe(false)
  },
)
