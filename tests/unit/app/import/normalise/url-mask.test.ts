import { expect, test } from 'vitest'
import { createUrlMask, maskText, type UrlMask } from '../../../../../app/import/normalise/url-mask.ts'
import { normalisedBody } from '../../../../support/normalised.ts'

const names = createUrlMask({ urls: 'names', keep: ['page', 'utm_source', 'debug'] }) as UrlMask
const paths = createUrlMask({ urls: 'paths', keep: [] }) as UrlMask

const token = '9f3aC0ffee'
const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl'
const host = 'https://reset.example.test'

test.each([
  ['/cart', '/cart', '/cart'],
  ['/cart?token=9f3a&page=2', '/cart?token=&page=2', '/cart'],
  [`/cart?utm_source=ada%40mail.test&page=${jwt}`, '/cart?utm_source=&page=', '/cart'],
  // A parameter without a value, a value without a name, Base64 with its padding, and a name that is a secret.
  ['/cart?debug&q=', '/cart?debug&q=', '/cart'],
  [`/cart?${token}`, '/cart', '/cart'],
  ['/cart?=9f3a&a==', '/cart', '/cart'],
  ['/cart?q83vEjRWeJCrze8SNFZ4kA==&c2VjcmV0IHRva2VuIDI=', '/cart', '/cart'],
  ['/cart?ada@mail.test=1&a=1', '/cart?a=', '/cart'],
  ['/cart?url=https://a.test/?x=1#part', '/cart?url=', '/cart'],
  ['/cart#access_token=9f3a', '/cart', '/cart'],
  ['/cart;jsessionid=9f3a/items;a=1;b=2?c=3', '/cart;jsessionid=/items;a=;b=?c=', '/cart;jsessionid=/items;a=;b='],
  [`/reset/${token}/done`, '/reset/*/done', '/reset/*/done'],
  [`/password-reset//${token}?a=1`, '/password-reset//*?a=', '/password-reset//*'],
  [`/users/resetPassword/MQ/c2x-1f0/`, '/users/resetPassword/*/*/', '/users/resetPassword/*/*/'],
  [`/Verify.php/12/${token}`, '/Verify.php/*/*', '/Verify.php/*/*'],
  [`/a%2Freset%2F${token}`, '/a%2Freset%2F*', '/a%2Freset%2F*'],
  [`/confirm/token/${token}`, '/confirm/*/*', '/confirm/*/*'],
  // No word, a file, and a host.
  ['/presets/dark/tokens/1', '/presets/dark/tokens/1', '/presets/dark/tokens/1'],
  ['/reset/main.3f2a.css', '/reset/main.3f2a.css', '/reset/main.3f2a.css'],
  [`/u/ada@mail.test/x`, '/u/*/x', '/u/*/x'],
  [`/u/ada%40mail.test`, '/u/*', '/u/*'],
  [`/u/ada%2540mail.test`, '/u/*', '/u/*'],
  ['/@ada/img/logo@2x.png', '/@ada/img/logo@2x.png', '/@ada/img/logo@2x.png'],
  ['/npm/vue@3.5.0/dist', '/npm/vue@3.5.0/dist', '/npm/vue@3.5.0/dist'],
  [`/s/${jwt}/a`, '/s/*/a', '/s/*/a'],
])('%s is %s, or %s without a query', (path, masked, withoutQuery) => {
  for (const origin of [host, 'HTTPS://h.test:8443', 'wss://h.test', '']) {
    expect(names(origin + path)).toBe(origin + masked)
    expect(paths(origin + path)).toBe(origin + withoutQuery)
    expect(names(names(origin + path))).toBe(names(origin + path))
  }
})

test.each(['', 'inline', 'self', 'h.test:443', host, `${host}:8443`, 'data', 'chrome-extension://abc'])(
  'there is nothing to mask in %j',
  (url) => expect([names(url), paths(url)]).toEqual([url, url]),
)

test.each([
  ['at f (https://h.test/a?token=9f3a:10:5)', 'at f (https://h.test/a?token=:10:5)'],
  [`at https://h.test/reset/${token}:10:5\nat g`, 'at https://h.test/reset/*:10:5\nat g'],
  [
    "Refused 'https://h.test/?a=(9f3a)', see <https://h.test/#9f3a>.",
    "Refused 'https://h.test/?a=)', see <https://h.test/>.",
  ],
  ['{"u":"blob:https://h.test/?a=9f3a"}, mail a@b.test?x=1', '{"u":"blob:https://h.test/?a="}, mail a@b.test?x=1'],
  ['at https://h.test/app.js:1:2', 'at https://h.test/app.js:1:2'],
])('the text %j is %j', (text, masked) => expect(maskText(text, names)).toBe(masked))

test('a hostile text takes linear time', () => {
  const before = performance.now()
  for (const part of ['://', ')', ':1:1', '/reset', ';a=', 'a@', '&a', '%40', 'eyJ']) {
    maskText(`https://h.test/?${part.repeat(32_768 / part.length)}x`, names)
    maskText(`https://h.test/${part.repeat(32_768 / part.length)}x`, names)
  }
  expect(performance.now() - before).toBeLessThan(5_000)
})

test('URLs of scripts and styles, source files and samples are stored as sent, but the source file of a page', () => {
  const blocked = `https://h.test/reset/${token}?a=1`
  const report = (body: object, type = 'csp-violation') =>
    normalisedBody(type, { blockedURL: blocked, sample: blocked, ...body }, `https://h.test/verify/${token}?a=1`, names)
  const masked = 'https://h.test/reset/*?a='
  for (const directive of ['script-src-elem', 'style-src', 'worker-src']) {
    expect(report({ effectiveDirective: directive })).toMatchObject({ blockedUrl: blocked, sample: blocked })
  }
  for (const directive of ['img-src', 'default-src', 'form-action', '']) {
    expect(report({ effectiveDirective: directive }).blockedUrl).toBe(masked)
  }
  for (const destination of ['script', 'style', 'serviceworker', 'audioworklet']) {
    expect(report({ destination }, 'coep').blockedUrl).toBe(blocked)
  }
  expect(report({ destination: 'image' }, 'coep').blockedUrl).toBe(masked)
  expect(report({ sourceFile: blocked, documentURL: blocked })).toMatchObject({
    sourceFile: 'https://h.test/reset/*',
    documentUrl: masked,
  })
  const sourceFile = 'https://h.test/token/app'
  expect(report({ sourceFile }, 'deprecation').sourceFile).toBe(sourceFile)
  const hash = {
    documentURL: blocked,
    subresourceURL: 'https://h.test/a.js?v=1',
    hash: 'sha256-x',
    destination: 'script',
  }
  expect(report(hash, 'csp-hash')).toMatchObject({ documentUrl: masked, requestUrl: 'https://h.test/a.js?v=1' })
})
