import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  bypassingOrigins,
  evaluatePolicy,
  evaluator,
  introducedFindings,
} from '../../../../../app/endpoints/csp-policies/evaluate-policy.ts'
import { aPolicy } from '../../../../support/csp-policies.ts'
import { numberOfCases } from '../../../../support/number-of-cases.ts'

const types = (policy: string) => evaluatePolicy(policy).map(({ type, value }) => [type, value])

test('the evaluator has its version', () => {
  expect(evaluator).toMatch(/^csp_evaluator \d+\.\d+\.\d+$/)
})

test('a comparable nonce is no static, short or odd one', () => {
  const strict = "script-src 'nonce-*' 'strict-dynamic'; object-src 'none'; base-uri 'none'"
  expect(types(strict).filter(([type]) => String(type).includes('nonce'))).toEqual([])
})

test('what is no nonce leaves unsafe-inline a weakness', () => {
  const rest = "object-src 'none'; base-uri 'none'"
  const inline = ['script_unsafe_inline', "'unsafe-inline'"]
  expect(types(`script-src 'unsafe-inline' 'nonce-$request_id'; ${rest}`)).toContainEqual(inline)
  expect(types(`script-src 'unsafe-inline' 'nonce-cmFuZG9t'; ${rest}`)).not.toContainEqual(inline)
})

test('a weakness is found once', () => {
  const found = evaluatePolicy("script-src 'unsafe-inline' data:; object-src 'none'; base-uri 'none'")
  expect(found).toContainEqual(expect.objectContaining({ severity: 'high', type: 'script_unsafe_inline' }))
  expect(new Set(found.map((finding) => JSON.stringify(finding))).size).toBe(found.length)
})

test('only new weaknesses are introduced', () => {
  const before = evaluatePolicy("script-src 'self'; object-src 'none'")
  const after = evaluatePolicy("script-src 'self' data:; object-src 'none'")
  expect(introducedFindings(before, after).map(({ type, value }) => [type, value])).toEqual([
    ['plain_url_schemes', 'data:'],
  ])
})

test('origins that serve JSONP or Angular are found', () => {
  expect([...bypassingOrigins(['https://ajax.googleapis.com', 'https://a.test', 'https://%.test'])]).toEqual([
    'https://ajax.googleapis.com',
  ])
  expect(bypassingOrigins([]).size).toBe(0)
})

test('any text is evaluated', () => {
  const text = fc.string({ unit: fc.constantFrom(...` ;:/*.-_'"%#?@[]0129aZ\t\\`), maxLength: 60 })
  const hosts = fc.constantFrom(
    'a.test:99999',
    '1.2.3.999',
    'xn--a',
    '[::1]',
    '//',
    'https://',
    '*.*',
    '__proto__',
    '%',
    '%2*',
  )
  const names = fc.constantFrom('script-src', 'object-src', 'report-uri', 'report-to', '__proto__', 'constructor')
  const odd = fc.tuple(names, fc.oneof(text, hosts), hosts).map((parts) => parts.join(' '))
  fc.assert(
    fc.property(fc.oneof(text, odd, aPolicy), (policy) => {
      for (const { severity, type } of evaluatePolicy(policy)) expect(severity + type).toMatch(/^[a-z_]+$/)
    }),
    { numRuns: numberOfCases(2_000) },
  )
})
