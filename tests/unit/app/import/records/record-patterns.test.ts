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
    ['shop.example/checkout', 'be scheme://host/path'],
    ['/checkout', 'be scheme://host/path'],
    ['ftp://shop.example/', 'be scheme://host/path'],
    ['https://shop.example:port/', 'be scheme://host/path'],
    [' https://shop.example/', 'be scheme://host/path'],
    ['https://shop.example', 'be in the form that browsers use: https://shop.example/'],
    ['HTTPS://shop.example/', 'be in the form that browsers use: https://shop.example/'],
    ['https://Shop.example/', 'be in the form that browsers use: https://shop.example/'],
    ['https://shop.example:443/', 'be in the form that browsers use: https://shop.example/'],
    ['https://shop.example/a/../b', 'be in the form that browsers use: https://shop.example/b'],
    ['https://shop.example/ä', 'be in the form that browsers use: https://shop.example/%C3%A4'],
    ['https://bücher.example/', 'be in the form that browsers use: https://xn--bcher-kva.example/'],
    ['https://shop.example/a b', 'be in the form that browsers use: https://shop.example/a%20b'],
    ['https://shop.example/\\a', 'be in the form that browsers use: https://shop.example//a'],
    ['https://*.example/', 'have a host without *'],
    ['https://me@shop.example/', 'have no user or password'],
    ['https://me:pw@shop.example/', 'have no user or password'],
    ['https://shop.example/?a=b', 'have no query or fragment'],
    ['https://shop.example/?', 'have no query or fragment'],
    ['https://shop.example/#a', 'have no query or fragment'],
    ['https://shop.example/**/pay', 'have ** only as the whole last path segment'],
    ['https://shop.example/a**', 'have ** only as the whole last path segment'],
    ['https://shop.example/***', 'have ** only as the whole last path segment'],
  ])('a pattern may not be %s: it must %s', (pattern, must) => {
    expect(lineErrorOf({ pattern })).toContain(`pattern must ${must}`)
  })

  test.each([
    ['ftp://a.example/', 'be an http or https URL'],
    ['a.example', 'be an http or https URL'],
    ['https:a.example', 'be an http or https URL'],
    ['https://a b/', 'be an http or https URL'],
    ['https://me@a.example/', 'have no user or password'],
    ['https://a.example/#b', 'have no fragment'],
    ['https://a.example:99999/', 'have a port from 1 to 65535'],
    ['https://ä.example/', 'be ASCII without spaces: https://xn--4ca.example/'],
    ['https://a.example/b c', 'be ASCII without spaces: https://a.example/b%20c'],
  ])('the text %s is no URL to scan: it must %s', (scanUrl, must) => {
    expect(lineErrorOf({ scanUrl })).toContain(`scanUrl must ${must}`)
  })
})
