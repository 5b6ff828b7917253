import { describe, expect, test } from 'vitest'
import { monitoredPages } from '../../../../../app/import/records/types/monitored-pages.ts'
import { recordLineError } from '../../../../support/record-line-error.ts'

const siteId = '22222222-2222-4222-8222-222222222222'
const lineErrorOf = (change: object) =>
  recordLineError(monitoredPages, { ...monitoredPages.example, ...change }, siteId)

describe('a pattern', () => {
  test.each([
    'https://shop.example/',
    'http://shop.example:8080/checkout',
    'https://shop.example/*',
    'https://shop.example/**',
    'https://shop.example/a*/*b/c*d/**',
    'https://shop.example/%C3%A4',
    'https://xn--bcher-kva.example/',
    'https://[2001:db8::1]/',
  ])('a pattern may be %s', (pattern) => {
    expect(lineErrorOf({ pattern })).toBeUndefined()
  })

  test.each([
    'shop.example/checkout',
    '/checkout',
    'https://shop.example',
    'ftp://shop.example/',
    'HTTPS://shop.example/',
    'https://Shop.example/',
    'https://*.example/',
    'https://shop.example:443/',
    'https://me@shop.example/',
    'https://me:pw@shop.example/',
    'https://shop.example/?a=b',
    'https://shop.example/?',
    'https://shop.example/#a',
    'https://shop.example/**/pay',
    'https://shop.example/a**',
    'https://shop.example/***',
    'https://shop.example/a/../b',
    'https://shop.example/ä',
    'https://bücher.example/',
    'https://shop.example/a b',
    ' https://shop.example/',
    'https://shop.example/\\a',
    'https://shop.example:port/',
  ])('a pattern may not be %s', (pattern) => {
    expect(lineErrorOf({ pattern })).toContain('pattern must be scheme://host/path')
  })

  test.each([
    'ftp://a.example/',
    'https://me@a.example/',
    'https://a.example/#b',
    'a.example',
    'https://ä.example/',
    'https:a.example',
    'https://a b/',
  ])('the text %s is no URL to scan', (scanUrl) => {
    expect(lineErrorOf({ scanUrl })).toContain('scanUrl must be an http or https URL')
  })
})
