import { expect, test } from 'vitest'
import { urlComponents } from '../../../app/import/normalise/url-components.ts'
import { parseUrl } from '../../../schema/parse-url.ts'
import { scriptUrl } from '../../../schema/rules/scripts/script-url.ts'

/** JSON.parse makes the flat strings that V8's optimised call takes. */
const hosts: readonly string[] = JSON.parse(JSON.stringify(Array.from({ length: 30_000 }, (_, n) => `über${n}.test`)))

test.each([
  ['parser', (url: string) => parseUrl(url)?.host],
  ['importer', (url: string) => urlComponents(url).host],
  ['script identity', (url: string) => scriptUrl(url).slice('https://'.length, -1)],
])('the %s reads 30,000 hosts beyond ASCII one after the other', (_, hostOf) => {
  const urls: readonly string[] = JSON.parse(JSON.stringify(hosts.map((host) => `https://${host}/`)))
  const unread = urls.filter((url) => !hostOf(url)?.startsWith('xn--'))
  expect(unread).toEqual([])
})

test('text that is no URL has no parts', () => {
  expect(['', 'shop.test', 'http://', 'http://a b/', 'https://a|b/'].map((text) => parseUrl(text))).toEqual(
    Array(5).fill(undefined),
  )
})
