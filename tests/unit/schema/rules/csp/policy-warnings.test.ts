import { expect, test } from 'vitest'
import { policyWarnings } from '../../../../../schema/rules/csp/policy-warnings.ts'

test.each([
  ["script-srcs 'self'", 'script-srcs', null, 'unknown_directive'],
  ['img-src a.test; img-src b.test', 'img-src', null, 'repeated'],
  ['img-src self', 'img-src', 'self', 'missing_quotes'],
  ['script-src nonce-abc', 'script-src', 'nonce-abc', 'missing_quotes'],
  ['script-src sha256-5KYv+PUboo5h+0+YAtGRPbwv5d/QxzHslP4YGnUaxRw=', 'script-src', undefined, 'missing_quotes'],
  ["img-src 'selfie'", 'img-src', "'selfie'", 'invalid_source'],
  ['img-src https://[2001:db8::1]', 'img-src', 'https://[2001:db8::1]', 'invalid_source'],
  ["img-src 'none' a.test", 'img-src', "'none'", 'ignored'],
  ["script-src 'unsafe-inline' 'nonce-abc'", 'script-src', "'unsafe-inline'", 'ignored'],
  ["script-src 'strict-dynamic' 'nonce-abc' https:", 'script-src', 'https:', 'ignored'],
])('%s', (policy, directive, value, kind) => {
  expect(policyWarnings(policy)).toMatchObject([{ directive, kind, ...(value !== undefined && { value }) }])
})

test.each([
  "default-src 'self'; script-src 'nonce-abc' 'strict-dynamic'; img-src * data: https://a.test:8443/x/ *.b.test",
  "sandbox allow-scripts; report-uri /csp; report-to csp; upgrade-insecure-requests; trusted-types one 'none'",
  "style-src 'unsafe-inline'; require-trusted-types-for 'script'",
])('no warning of %s', (policy) => {
  expect(policyWarnings(policy)).toEqual([])
})
