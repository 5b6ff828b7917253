import { describe, expect, test } from 'vitest'
import { pagePattern } from '../../../../../schema/page-pattern.ts'
import { suggestedPattern } from '../../../../../schema/rules/pci/suggested-pattern.ts'
import { pageMatch } from '../../../../../schema/rules/scans/page-pattern.ts'

const pages: [page: string, pattern: string][] = [
  ['https://shop.example.test/checkout', 'https://shop.example.test/checkout'],
  ['https://shop.example.test/', 'https://shop.example.test/'],
  ['https://shop.example.test:8443/orders/42/pay', 'https://shop.example.test:8443/orders/*/pay'],
  ['https://shop.example.test/o/5ec0de00-0000-4000-8000-0000000000aa', 'https://shop.example.test/o/*'],
  ['https://shop.example.test/cart/9f86d081884c7d65/pay', 'https://shop.example.test/cart/*/pay'],
  ['https://shop.example.test/orders/A-2026-000123', 'https://shop.example.test/orders/*'],
  ['https://shop.example.test/v1/step2/pay', 'https://shop.example.test/v1/step2/pay'],
  ['https://shop.example.test/facade/decade', 'https://shop.example.test/facade/decade'],
  ['https://shop2024.example.test/pay/', 'https://shop2024.example.test/pay/'],
  ['https://shop.example.test/a*b/**/pay', 'https://shop.example.test/*/*/pay'],
  ['https://shop.example.test/pay/**', 'https://shop.example.test/pay/*'],
  ["https://shop.example.test/it's%20(a)/$1.html", "https://shop.example.test/it's%20(a)/$1.html"],
]

test.each(pages)('%s has its suggested pattern', (page, pattern) => {
  expect(suggestedPattern(page)).toBe(pattern)
})

describe('a suggested pattern', () => {
  test.each(pages)('%s matches its suggested pattern', (page) => {
    const pattern = suggestedPattern(page)
    expect(pagePattern.safeParse(pattern).success).toBe(true)
    const { prefix, expression } = pageMatch(pattern)
    expect(page.startsWith(prefix)).toBe(true)
    expect(page).toMatch(new RegExp(expression, 'u'))
  })

  test.each([
    ['https://shop.example.test', 'https://shop.example.test/'],
    ['HTTPS://Shop.Example.TEST:443/Pay/../7', 'https://shop.example.test/*'],
    ['https://café.test/für', 'https://xn--caf-dma.test/f%C3%BCr'],
  ])('the pattern for %s is as a browser writes the page', (page, pattern) => {
    expect(suggestedPattern(page)).toBe(pattern)
    expect(pagePattern.safeParse(pattern).success).toBe(true)
  })

  test.each(['about', 'about:blank', 'httpx://a/1', 'https://', ''])(
    'the pattern for %j is the text itself',
    (page) => {
      expect(suggestedPattern(page)).toBe(page)
    },
  )
})
