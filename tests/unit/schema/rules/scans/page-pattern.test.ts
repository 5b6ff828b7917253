import { describe, expect, test } from 'vitest'
import { pageMatch } from '../../../../../schema/rules/scans/page-pattern.ts'

/** As the store does: the prefix and the expression. */
function matches(pattern: string, page: string): boolean {
  const { prefix, expression } = pageMatch(pattern)
  return page.startsWith(prefix) && new RegExp(expression, 'u').test(page)
}

const host = 'https://shop.test'

describe('a page pattern', () => {
  test.each([
    ['a page', '/cart', ['/cart'], ['/cart/', '/Cart', '/car', '/cart2', '/x/cart', '/cart\n']],
    ['the root', '/', ['/'], ['', '//', '/a']],
    ['any characters of a segment', '/a*', ['/a', '/a1', '/a\n'], ['/', '/b', '/a/1', '/a1/']],
    ['a whole segment, an empty one too', '/a/*', ['/a/', '/a/b'], ['/a', '/a/b/', '/a/b/c']],
    ['a segment between others', '/a/*/c', ['/a/b/c', '/a//c'], ['/a/c', '/a/b/b/c', '/a/b/c/']],
    ['several places', '/*/a*b/*', ['/1/ab/2', '/1/a-b/'], ['/1/ab', '/1/a/b/2']],
    ['two stars within a segment as one', '/a**b', ['/ab', '/a1b'], ['/a/b', '/a1/b']],
    ['two stars that begin a last segment as one', '/**b', ['/b', '/ab'], ['/a/b']],
    ['two stars between segments as one', '/a/**/c', ['/a/b/c'], ['/a/b/b/c', '/a/c']],
    ['any remainder', '/a/**', ['/a/', '/a/b', '/a/b/c/', '/a/\n'], ['/a', '/ab', '/b/a/']],
    ['any remainder of the host', '/**', ['/', '/a', '/a/b'], ['']],
    ['any remainder behind a segment', '/*/b/**', ['/a/b/', '/a/b/c/d'], ['/a/b', '/a/c/b/']],
    [
      'no more than it says, by other signs',
      '/a.b+(c)[d]{1}|^$',
      ['/a.b+(c)[d]{1}|^$'],
      ['/axb+(c)[d]{1}|^$', '/a.bb(c)'],
    ],
    ['a dot behind a wildcard as itself', '/*/pay.html', ['/x/pay.html'], ['/x/payXhtml']],
    ['a backslash', '/a\\d', ['/a\\d'], ['/a1', '/ad']],
    ['quotes and wildcards of other languages', "/it's_%?", ["/it's_%"], ["/it's_%?", '/itss_%', "/it'sx%"]],
    ['letters beyond ASCII', '/ä🛒*', ['/ä🛒', '/ä🛒🛒'], ['/ä', '/a🛒']],
  ])('a page pattern matches %s', (_, pattern, taken, refused) => {
    for (const path of taken) expect([path, matches(host + pattern, host + path)]).toEqual([path, true])
    for (const path of refused) expect([path, matches(host + pattern, host + path)]).toEqual([path, false])
  })

  test('a page pattern matches one scheme, host and port', () => {
    for (const page of [
      'http://shop.test/',
      'https://shop.test:8443/',
      'https://shop.test.evil.test/',
      'https://a.shop.test/',
    ]) {
      expect([page, matches(`${host}/**`, page)]).toEqual([page, false])
    }
    expect(matches('https://shop.test:8443/**', 'https://shop.test:8443/a')).toBe(true)
  })

  test('a page pattern has no wildcards in its host', () => {
    expect(matches('https://*.test/**', 'https://shop.test/')).toBe(false)
    expect(matches('https://sh.p.test/**', 'https://shxp.test/')).toBe(false)
  })

  test('a page pattern has scheme and host in lower case, its path as written', () => {
    expect(matches('HTTPS://Shop.TEST/Cart', 'https://shop.test/Cart')).toBe(true)
    expect(matches('HTTPS://Shop.TEST/Cart', 'https://shop.test/cart')).toBe(false)
  })

  test('a page pattern without a path matches the root', () => {
    expect(matches(host, `${host}/`)).toBe(true)
    expect(matches(host, `${host}/a`)).toBe(false)
  })

  test('a page pattern ignores query and fragment', () => {
    expect(matches(`${host}/a?b=*#c`, `${host}/a`)).toBe(true)
    expect(matches(`${host}/a/**?b`, `${host}/a/b/c`)).toBe(true)
    expect(matches(`${host}#c`, `${host}/`)).toBe(true)
  })

  test.each([
    ['/cart', '/cart'],
    ['/a/*/c', '/a/'],
    ['/a/b**', '/a/b'],
    ['/a/**', '/a/'],
    ['/a.b*', '/a.b'],
  ])('the prefix of %s is all text before the first wildcard', (pattern, start) => {
    expect(pageMatch(host + pattern).prefix).toBe(host + start)
  })

  test('a page pattern that is no URL matches that text only', () => {
    expect(matches('cart', 'cart')).toBe(true)
    expect(matches('.*', 'anything')).toBe(false)
  })
})
