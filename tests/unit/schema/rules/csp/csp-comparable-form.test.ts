import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import {
  comparableForm,
  cutPolicy,
  policyId,
  sendableForm,
} from '../../../../../schema/rules/csp/csp-comparable-form.ts'

describe('the comparable form of a policy', () => {
  test.each([
    ['of one directive is that directive', "img-src 'self'", "img-src 'self'"],
    ['is sorted by directive', 'img-src a.test; default-src b.test', 'default-src b.test; img-src a.test'],
    [
      'sorts a name before the longer ones it begins',
      'script-src-elem a; script-src b',
      'script-src b; script-src-elem a',
    ],
    ['keeps the order of values', 'img-src b.test a.test', 'img-src b.test a.test'],
    ['has every value once', 'img-src a.test b.test A.test a.test', 'img-src a.test b.test'],
    ['has the first of a repeated directive', 'img-src a.test; IMG-SRC b.test; img-src c.test', 'img-src a.test'],
    ['has the first of a repeated directive, though it has no value', 'img-src; img-src b.test', 'img-src'],
    ['has directives without values', 'upgrade-insecure-requests;', 'upgrade-insecure-requests'],
    ['has no empty directives', ' ;; img-src a.test ; ;', 'img-src a.test'],
    [
      'has single spaces',
      "\t img-src\n'self' \r\n\fa.test\t;script-src  'none'\n",
      "img-src 'self' a.test; script-src 'none'",
    ],
    ['keeps other white space, which no browser reads as such', 'img-src a\u00a0b\u2028c', 'img-src a\u00a0b\u2028c'],
    ['of nothing is nothing', '', ''],
    ['of no directive is nothing', ' ; \t;', ''],
  ])('the comparable form of a policy: %s', (_, policy, form) => {
    expect(comparableForm(policy)).toBe(form)
  })

  test.each([
    ['names', "IMG-Src 'self'", "img-src 'self'"],
    [
      'keywords',
      "script-src 'SELF' 'Unsafe-Inline' 'strict-DYNAMIC'",
      "script-src 'self' 'unsafe-inline' 'strict-dynamic'",
    ],
    ['keywords with a number', "script-src 'Report-SHA256'", "script-src 'report-sha256'"],
    ['schemes', 'img-src HTTPS: Data: wss:', 'img-src https: data: wss:'],
    ['hosts', 'img-src CDN.Example.test *.B.test:8443', 'img-src cdn.example.test *.b.test:8443'],
    ['schemes and hosts of URLs', 'img-src HTTPS://CDN.test WSS://B.test:*', 'img-src https://cdn.test wss://b.test:*'],
    ['hosts, though not paths', 'img-src CDN.test/Lib/A.png', 'img-src cdn.test/Lib/A.png'],
    ['schemes and hosts, though not paths', 'img-src HTTPS://CDN.test/Lib/', 'img-src https://cdn.test/Lib/'],
    ['flags', 'sandbox Allow-Scripts', 'sandbox allow-scripts'],
    ['algorithms, though not hashes', "script-src 'SHA256-AbC+/d=='", "script-src 'sha256-AbC+/d=='"],
    ['algorithms with a dash, though not hashes', "script-src 'SHA-256-AbC+/d=='", "script-src 'sha-256-AbC+/d=='"],
    ['algorithms of other hashes', "script-src 'URL-Sha384-AbC='", "script-src 'url-sha384-AbC='"],
    ['hosts, though not paths, that reports go to', 'report-uri HTTPS://R.test/CSP', 'report-uri https://r.test/CSP'],
    ['hosts without a scheme that reports go to', 'report-uri //R.test/CSP', 'report-uri //r.test/CSP'],
    ['no relative URLs', 'Report-URI Csp/Here /CSP', 'report-uri Csp/Here /CSP'],
    ['no names of endpoints', 'Report-To Main', 'report-to Main'],
    [
      "no names of trusted types' policies",
      "trusted-types Shop 'Allow-Duplicates'",
      "trusted-types Shop 'allow-duplicates'",
    ],
  ])('the comparable form has in lower case %s', (_, policy, form) => {
    expect(comparableForm(policy)).toBe(form)
  })

  test.each([
    ["script-src 'nonce-abc'", "script-src 'nonce-*'"],
    ["script-src 'NONCE-AbC+/=='", "script-src 'nonce-*'"],
    ["script-src 'nonce-abc' 'self' 'nonce-def'", "script-src 'nonce-*' 'self'"],
    ["script-src 'nonce-*'", "script-src 'nonce-*'"],
    ["script-src 'nonce-cut", "script-src 'nonce-*'"],
    ['script-src nonce-abc', 'script-src nonce-abc'],
  ])('the comparable form has no nonce of its own: %s', (policy, form) => {
    expect(comparableForm(policy)).toBe(form)
  })

  test.each([
    ['report-uri /csp?id=1', 'report-uri /csp?*'],
    ['Report-URI /csp?id=1&b=?#f HTTPS://R.test#1 /plain ?x', 'report-uri /csp?* https://r.test?* /plain ?*'],
    ['report-uri /csp?*', 'report-uri /csp?*'],
    ['img-src a.test/p?q=1; report-to a?b', 'img-src a.test/p?q=1; report-to a?b'],
  ])('the comparable form has no query of a report-uri, and others have: %s', (policy, form) => {
    expect(comparableForm(policy)).toBe(form)
  })

  test('a text that is to be sent keeps the query of its report-uri', () => {
    expect(sendableForm('report-uri HTTPS://R.test/Csp?Key=1')).toBe('report-uri https://r.test/Csp?Key=1')
  })

  test.each([
    ['not a policy at all', 'not a policy at all'],
    ['A,B;c=D', 'a,b; c=d'],
    ["''", "''"],
    ["img-src ' 'SELF", "img-src ' 'self"],
    ['img-src :// HTTPS:// /A ?B', 'img-src :// https:// /A ?B'],
    ['__proto__ A; constructor B', '__proto__ a; constructor b'],
    ['img-src https://BÜCHER.test/Ä 🦊', 'img-src https://bücher.test/Ä 🦊'],
  ])('any text has a comparable form: %s', (policy, form) => {
    expect(comparableForm(policy)).toBe(form)
  })

  test('a comparable form is its own comparable form', () => {
    const policy = "Script-Src 'Nonce-a' HTTPS://A.test/P 'sha256-X='; report-to G;; img-src *; script-src b"
    expect(comparableForm(comparableForm(policy))).toBe(comparableForm(policy))
  })
})

describe('the id of a policy', () => {
  test('a policy’s id is the start of a SHA-256 of disposition and form', () => {
    const whole = createHash('sha256').update("report\nimg-src 'self'").digest('hex')
    expect(policyId('report', "img-src 'self'")).toBe(whole.slice(0, 32))
    expect(policyId('enforce', "img-src 'self'")).not.toBe(whole.slice(0, 32))
  })

  test('a policy’s id does not change between releases', () => {
    expect(policyId('enforce', "default-src 'self'")).toBe('786b6e6aa27e07ece29d909e05c2857b')
  })
})

describe('the cut of a long policy', () => {
  test.each([
    ['nothing', '', '', false],
    ['16,384 bytes', 'x'.repeat(16_384), 'x'.repeat(16_384), false],
    ['one byte more', 'x'.repeat(16_385), 'x'.repeat(16_384), true],
    ['fewer characters than bytes', 'é'.repeat(8_193), 'é'.repeat(8_192), true],
    ['a character of two bytes across the end', `${'x'.repeat(16_383)}é`, 'x'.repeat(16_383), true],
    ['a character of three bytes across the end', `${'x'.repeat(16_382)}€y`, 'x'.repeat(16_382), true],
    ['a character of four bytes across the end', `${'x'.repeat(16_381)}🦊`, 'x'.repeat(16_381), true],
    ['a character of four bytes up to the end', `${'x'.repeat(16_380)}🦊y`, `${'x'.repeat(16_380)}🦊`, true],
  ])('a policy is cut between characters: %s', (_, form, policy, truncated) => {
    expect(cutPolicy(form)).toEqual({ policy, truncated })
  })
})
