import fc from 'fast-check'
import { expect, test } from 'vitest'
import { blockedResource } from '../../../../../app/import/normalise/blocked-resource.ts'
import { parseWhole, urlComponents } from '../../../../../app/import/normalise/url-components.ts'
import { numberOfCases } from '../../../../support/number-of-cases.ts'

const pieces = fc.constantFrom(
  ...[
    'http',
    'HTTPS',
    'ws',
    'wss',
    'data',
    'blob',
    ':',
    '//',
    '/',
    '\\',
    '?',
    '#',
    '@',
    'user:secret',
    '.',
    ':8000',
    ':443',
  ],
  ...[
    'shop.test',
    'ÜBER.test',
    '[::1]',
    '127.1',
    '%41',
    ' ',
    '\t',
    '\n',
    '\u0001',
    '\u00ad',
    '\ud800',
    '|',
    'a b',
    'xn--',
  ],
)

const texts = fc.oneof(
  fc.array(pieces, { maxLength: 10 }).map((all) => all.join('')),
  fc
    .tuple(fc.constantFrom('http://', 'https://', 'wss://'), fc.array(pieces, { maxLength: 8 }))
    .map(([start, rest]) => {
      return start + rest.join('')
    }),
  fc.webUrl({ withFragments: true, withQueryParameters: true }),
)

test('a URL read through the cache has the parts of the whole text', () => {
  fc.assert(
    fc.property(texts, (text) => {
      expect(urlComponents(text)).toEqual(parseWhole(text))
    }),
    { numRuns: numberOfCases(5_000) },
  )
})

const port = fc.integer({ min: 0, max: 99_999 })

test('the host of a page, a blocked resource or an issue has no port', () => {
  const host = fc.oneof(
    fc.domain(),
    fc.ipV4(),
    fc.ipV6().map((address) => `[${address}]`),
  )
  fc.assert(
    fc.property(fc.constantFrom('http:', 'https:', 'wss:'), host, port, (scheme, name, number) => {
      const url = `${scheme}//${name}:${number}/path`
      for (const found of [
        urlComponents(url),
        blockedResource(url, false),
        blockedResource(`${name}:${number}`, true),
      ]) {
        expect(found.host).not.toMatch(/:\d+$/)
      }
      expect(urlComponents(url).host).toBe(number > 65_535 ? '' : new URL(url).hostname)
    }),
  )
})
