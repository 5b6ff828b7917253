import { expect, test } from 'vitest'
import { issueKey } from '../../../../../app/import/normalise/issue-key.ts'
import { aReport } from '../../../../../fixtures/reports.ts'
import { issueId, keyOfIssueId } from '../../../../../schema/issue-id.ts'
import type { ReportType } from '../../../../../schema/report-types.ts'

const fields = {
  directive: 'img-src',
  destination: 'script',
  effectivePolicy: 'same-origin',
  feature: 'geolocation',
  blockedHost: 'blocked.test',
  otherOrigin: 'https://other.test:8443',
  sourceFile: 'https://User:pw@SOURCE.test:8443/a.js',
} as const

test.each<[ReportType, string, string]>([
  ['csp-violation', 'img-src', 'blocked.test'],
  ['integrity-violation', 'script', 'blocked.test'],
  ['coep', 'script', 'blocked.test'],
  ['coop', 'same-origin', 'other.test'],
  ['permissions-policy-violation', 'geolocation', 'source.test'],
  ['document-policy-violation', 'geolocation', 'source.test'],
  ['connection-allowlist', 'connection', 'blocked.test'],
  ['deprecation', '', ''],
  ['intervention', '', ''],
  ['network-error', '', ''],
  ['crash', '', ''],
])('%s is an issue of %j and %j', (reportType, issueSubject, issueHost) => {
  expect(issueKey(aReport({ ...fields, reportType }))).toEqual({ issueSubject, issueHost })
})

test('unknown parts of an issue key are empty', () => {
  const unknown = aReport({ directive: '', blockedHost: '', sourceFile: 'chrome-extension://x/y.js' })
  expect(issueKey(unknown)).toEqual({ issueSubject: '', issueHost: '' })
  expect(issueKey({ ...unknown, reportType: 'document-policy-violation' })).toEqual({ issueSubject: '', issueHost: '' })
})

test.each([
  [0n, '0000000000000000'],
  [255n, '00000000000000ff'],
  [2n ** 64n - 1n, 'ffffffffffffffff'],
])('the key %d is the id %s', (key, id) => {
  expect(issueId(key)).toBe(id)
  expect(keyOfIssueId(id)).toBe(key)
})

test.each(['', '0', 'g'.repeat(16), 'FFFFFFFFFFFFFFFF', 'f'.repeat(17), ' fffffffffffffff'])(
  'the text %j is no issue id',
  (id) => {
    expect(keyOfIssueId(id)).toBeUndefined()
  },
)
