import { expect, test } from 'vitest'
import { headerDifferences } from '../../../../../schema/rules/scans/header-differences.ts'

const differences = (before: string | null, after: string | null) =>
  headerDifferences({ header: 'content-security-policy', change: 'changed', before, after })

test('a source in a long policy is a line of its directive', () => {
  const hashes = Array.from({ length: 200 }, (_, index) => `'sha256-${index}'`).join(' ')
  const policy = (source: string) => `default-src 'self'; script-src ${hashes} ${source}; style-src 'self'`
  expect(differences(policy('https://a.test'), policy('https://b.test'))).toEqual([
    '- script-src https://a.test',
    '+ script-src https://b.test',
  ])
})

test.each([
  ['a directive that one side lacks', "img-src 'self'; object-src", "img-src 'self'", ['- object-src']],
  ['values that are added', 'img-src', 'img-src * data:', ['+ img-src * data:']],
  ['another order', 'report-uri /a /b', 'report-uri /b /a', ['- report-uri /a /b', '+ report-uri /b /a']],
  ['a second policy', "img-src 'self'", "img-src 'self'\nscript-src *", ['+ script-src *']],
  [
    'policies that exchange a directive',
    'img-src a\nimg-src b',
    'img-src b\nimg-src a',
    ['- img-src a b', '+ img-src b a'],
  ],
  ['a header that is added', null, "img-src 'self'", ["+ img-src 'self'"]],
  ['values without a directive', ' ', ';', ['-  ', '+ ;']],
])('%s', (_, before, after, lines) => {
  expect(differences(before, after)).toEqual(lines)
})

test('names of other headers include their equals sign, and commas separate permissions', () => {
  const header = {
    header: 'permissions-policy',
    change: 'changed',
    before: 'camera=(), usb=()',
    after: 'camera=(self), usb=()',
  } as const
  expect(headerDifferences(header)).toEqual(['- camera=()', '+ camera=(self)'])
  const hsts = {
    header: 'strict-transport-security',
    change: 'changed',
    before: 'max-age=1',
    after: 'max-age=2; preload',
  } as const
  expect(headerDifferences(hsts)).toEqual(['- max-age=1', '+ max-age=2', '+ preload'])
})
