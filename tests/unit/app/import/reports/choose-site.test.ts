import { describe, expect, test } from 'vitest'
import { isLineError } from '../../../../../app/import/ndjson/line-error.ts'
import { normalisePattern } from '../../../../../app/import/normalise/host-patterns.ts'
import { readPost } from '../../../../../app/import/normalise/post.ts'
import { chooseSites } from '../../../../../app/import/reports/choose-site.ts'

const [shop, all, other] = [
  '00000000-0000-4000-8000-000000000001',
  '00000000-0000-4000-8000-000000000002',
  '00000000-0000-4000-8000-000000000003',
]
const sites = [
  { id: shop, hosts: ['shop.example.test', 'Bücher.test'] },
  { id: all, hosts: ['*.example.test', 'shop.example.test', 'local.test:3000'] },
  { id: other, hosts: ['*.deep.example.test'] },
]

function chosen(url: string, named = '', siteId?: string) {
  const site = chooseSites(sites, siteId)(named, url)
  return isLineError(site) ? site.reason : site
}

describe('the host of the URL', () => {
  test.each([
    ['https://shop.example.test/cart', shop],
    ['https://SHOP.Example.TEST:8443/cart', shop],
    ['https://bücher.test/', shop],
    ['https://xn--bcher-kva.test/', shop],
    ['https://blog.example.test/', all],
    ['https://shop.example.test./', shop],
    ['https://blog.example.test./', all],
    ['https://a.b.example.test/', all],
    ['https://x.deep.example.test/', other],
    ['http://local.test:3000/', all],
    ['http://local.test/', all],
  ])('the URL %s chooses its site', (url, site) => {
    expect(chosen(url)).toBe(site)
  })

  test.each([
    ['https://example.test/', 'no site of the tenant had the host example.test when the line was first imported'],
    [
      'https://shop.example.test.evil.test/',
      'no site of the tenant had the host shop.example.test.evil.test when the line was first imported',
    ],
    [
      'https://user:shop.example.test@evil.test/',
      'no site of the tenant had the host evil.test when the line was first imported',
    ],
    ['about:blank', 'no site: set "site" or use a URL whose host belongs to one'],
    ['blob:https://shop.example.test/1', 'no site: set "site" or use a URL whose host belongs to one'],
    ['', 'no site: set "site" or use a URL whose host belongs to one'],
  ])('the URL %s is rejected', (url, reason) => {
    expect(chosen(url)).toBe(reason)
  })
})

test('the line’s site comes before the import’s, and both before the host', () => {
  expect(chosen('https://shop.example.test/', other)).toBe(other)
  expect(chosen('https://shop.example.test/', '', other)).toBe(other)
  expect(chosen('about', '', other)).toBe(other)
  expect(chosen('blob:https://shop.example.test/1', other)).toBe(other)
  expect(chosen('https://shop.example.test/', all, other)).toBe(all)
  expect(chosen('about:blank', '', other)).toBe(other)
})

test('the line can write its site in capitals', () => {
  const id = 'abcdef00-0000-4000-8000-00000000000a'
  const post = readPost({ site: id.toUpperCase(), body: [] })
  expect(post).toMatchObject({ siteId: id })
  expect(chooseSites([{ id, hosts: [] }], undefined)(isLineError(post) ? '' : post.siteId, '')).toBe(id)
})

test('a host without a site at the first import chooses no site', () => {
  const choose = chooseSites(sites, undefined, ['*.example.test'])
  expect(choose('', 'https://shop.example.test/')).toBe(all)
  expect(choose('', 'https://x.deep.example.test/')).toBe(all)
  expect(isLineError(choose('', 'https://bücher.test/'))).toBe(true)
})

test('a site of another tenant is rejected', () => {
  const foreign = '00000000-0000-4000-8000-00000000000f'
  expect(chosen('https://shop.example.test/', foreign)).toBe(`the tenant has no site ${foreign}`)
})

test.each([
  ['Shop.Test', 'shop.test'],
  ['shop.test:8443', 'shop.test'],
  ['*.Shop.Test', '*.shop.test'],
  ['[::1]', '[::1]'],
  ['not a host', ''],
  ['', ''],
])('the pattern %j is normalised to %j', (pattern, normal) => {
  expect(normalisePattern(pattern)).toBe(normal)
})
