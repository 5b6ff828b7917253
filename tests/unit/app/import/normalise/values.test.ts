import { describe, expect, test, vi } from 'vitest'
import { normalised, normalisedBody } from '../../../../support/normalised.ts'

const blocked = (blockedURL: unknown) => {
  const { blockedUrl, blockedHost, blockedOrigin } = normalisedBody('csp-violation', { blockedURL })
  return [blockedUrl, blockedHost, blockedOrigin]
}

test.each([
  ['inline', 'inline'],
  ['eval', 'eval'],
  ['wasm-eval', 'wasm-eval'],
  ['trusted-types-policy', 'trusted-types-policy'],
  ['trusted-types-sink', 'trusted-types-sink'],
  ['self', 'self'],
  ['data', 'data'],
  ['Blob', 'blob'],
  ['about', 'about'],
  ['filesystem', 'filesystem'],
  ['chrome-extension', 'chrome-extension'],
  ['chrome-extension://abcdef/inject.js', 'chrome-extension'],
  ['data:text/html,<b>', 'data'],
  ['blob:https://a.test/1', 'blob'],
])('a blocked keyword or scheme %s has the host %s and no origin', (blockedURL, host) => {
  expect(blocked(blockedURL)).toEqual([blockedURL, host, ''])
})

test.each([
  ['https://A.Example.test/x?y#z', 'https://A.Example.test/x?y', 'a.example.test', 'https://a.example.test'],
  ['http://a.test:80/', 'http://a.test:80/', 'a.test', 'http://a.test'],
  ['https://a.test:8443', 'https://a.test:8443', 'a.test', 'https://a.test:8443'],
  ['wss://a.test/socket', 'wss://a.test/socket', 'a.test', 'wss://a.test'],
  ['ws://a.test:81/', 'ws://a.test:81/', 'a.test', 'ws://a.test:81'],
  ['https://bücher.test/', 'https://bücher.test/', 'xn--bcher-kva.test', 'https://xn--bcher-kva.test'],
  ['https://[::1]:9/', 'https://[::1]:9/', '[::1]', 'https://[::1]:9'],
])('a blocked URL %s has a host and an origin', (blockedURL, url, host, origin) => {
  expect(blocked(blockedURL)).toEqual([url, host, origin])
})

test.each(['https://', 'https://exa mple.test/', 'two words', '<script>', '   ', '/relative'])(
  'what is no URL, keyword or scheme has no host: %j',
  (blockedURL) => {
    expect(blocked(blockedURL)).toEqual([blockedURL, '', ''])
  },
)

test.each([undefined, null, '', 7, {}, []])('a blocked URL of %j is stored as missing', (blockedURL) => {
  expect(blocked(blockedURL)).toEqual(['', '', ''])
})

test.each([
  ['https://shop.test/a?b=1#c', 'https://shop.test/a?b=1', 'shop.test'],
  ['https://user:secret@shop.test/a', 'https://shop.test/a', 'shop.test'],
  ['https://user:secret@exa mple.test/a@b', 'https://exa mple.test/a@b', ''],
  ['https://user:sec@ret@[bad/', 'https://[bad/', ''],
  ['https://:secret@shop.test/a', 'https://shop.test/a', 'shop.test'],
  ['https://user@shop.test/a', 'https://shop.test/a', 'shop.test'],
  ['wss://shop.test/a', 'wss', 'shop.test'],
  ['HTTPS://Shop.Test:443/A', 'HTTPS://Shop.Test:443/A', 'shop.test'],
  ['http://localhost:3000/', 'http://localhost:3000/', 'localhost'],
  ['about:blank', 'about', ''],
  ['data:text/html,secret', 'data', ''],
  ['blob:https://shop.test/1', 'blob', ''],
  ['about', 'about', ''],
  ['nonsense', 'nonsense', ''],
  ['', '', ''],
])('the page %s is stored as %s', (url, documentUrl, documentHost) => {
  expect(normalisedBody('deprecation', {}, url)).toMatchObject({ documentUrl, documentHost })
})

describe('numbers of a report', () => {
  test.each([
    [3, 3],
    ['3', 3],
    [' 12 ', 12],
    [4_294_967_295, 4_294_967_295],
    [3.9, 3],
    [0, 0],
    ['0', 0],
    ['', 0],
    [null, 0],
    [-1, 0],
    [4_294_967_296, 0],
    ['0x10', 0],
    ['1e3', 0],
    ['NaN', 0],
    ['Infinity', 0],
    ['12px', 0],
    [true, 0],
    [[5], 0],
    [{ valueOf: 5 }, 0],
    ['9'.repeat(400), 0],
  ])('a line of %j is %j', (lineNumber, stored) => {
    expect(normalisedBody('deprecation', { lineNumber }).lineNumber).toBe(stored)
  })

  test('a number too large for JSON is stored as missing', () => {
    const [report] = normalised('[{"type":"deprecation","url":"https://a.test/","body":{"lineNumber":1e999}}]')
    expect(report?.lineNumber).toBe(0)
  })

  test.each([
    [200, 200],
    ['404', 404],
    [0, 0],
    [99.5, 0],
    [1_000, 0],
    [-200, 0],
  ])('a status of %j is %j', (statusCode, stored) => {
    expect(normalisedBody('csp-violation', { statusCode }).statusCode).toBe(stored)
  })

  test.each([
    [0, 0],
    ['17', 17],
    [1.6, 2],
    [-1, null],
    ['', null],
    [undefined, null],
  ])('an elapsed time of %j is %j', (elapsed_time, stored) => {
    expect(normalisedBody('network-error', { elapsed_time }).elapsedMs).toBe(stored)
  })

  test.each([
    ['2027-01-01', Date.UTC(2027, 0, 1)],
    ['2027-01-01T01:00:00+01:00', Date.UTC(2027, 0, 1)],
    ['1798761600000', 1_798_761_600_000],
    [0, null],
    ['soon', null],
    ['9999-01-01', null],
    [-5, null],
    [0.4, null],
    [Date.UTC(2200, 0, 1) - 0.4, null],
    [8.64e15, null],
  ])('an anticipated removal of %j is %j', (anticipatedRemoval, stored) => {
    expect(normalisedBody('deprecation', { anticipatedRemoval }).anticipatedRemoval).toBe(stored)
  })

  test.each([
    '2027-01-01',
    '2027-01-01T00:00',
    '2027-01-01T00:00:00.000',
    '2027-01-01 00:00:00',
    '2027-01-01T00:00:00Z',
  ])('an anticipated removal of %j is the same in any time zone', (anticipatedRemoval) => {
    vi.stubEnv('TZ', 'America/New_York')
    expect(new Date(2027, 0).getTime()).toBe(Date.UTC(2027, 0, 1, 5))
    expect(normalisedBody('deprecation', { anticipatedRemoval }).anticipatedRemoval).toBe(Date.UTC(2027, 0, 1))
    vi.unstubAllEnvs()
  })
})

test.each([
  ['wss://user:secret@live.test/socket?room=1#x', 'wss://live.test/socket?room=1', 'wss://live.test'],
  ['https://a.test/x?y#z', 'https://a.test/x?y', 'https://a.test'],
  ['chrome-extension://abc/x.js', 'chrome-extension', ''],
  ['no url', 'no url', ''],
])('a failed request of %s keeps the URL %s and the origin %j', (url, requestUrl, requestOrigin) => {
  const body = { phase: 'connection', type: 'tcp.refused' }
  expect(normalisedBody('network-error', body, url)).toMatchObject({ requestUrl, requestOrigin })
})

test.each([
  ['enforce', 'enforce'],
  ['Enforce', 'enforce'],
  ['report', 'report'],
  ['REPORTING', 'report'],
  ['__proto__', ''],
  ['constructor', ''],
  ['blocked', ''],
  ['', ''],
  [true, ''],
])('a disposition of %j is %j', (disposition, stored) => {
  expect(normalisedBody('csp-violation', { disposition }).disposition).toBe(stored)
})

test.each(['deprecation', 'intervention', 'network-error', 'crash'])('%s has no disposition', (type) => {
  expect(normalisedBody(type, { disposition: 'enforce' }).disposition).toBe('')
})

test.each([
  [true, true],
  ['false', false],
  ['yes', null],
  [1, null],
  [null, null],
])('a flag of %j is %j', (is_top_level, stored) => {
  expect(normalisedBody('crash', { is_top_level }).isTopLevel).toBe(stored)
})
