import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ScanGrade, type WatchedHeader, watchedHeaders } from '../../../../../schema/enumerations.ts'
import { headerForm } from '../../../../../schema/rules/scans/header-form.ts'
import { type ComparableScan, scanChanges } from '../../../../../schema/rules/scans/scan-changes.ts'
import { numberOfCases } from '../../../../support/number-of-cases.ts'

const sends = (sent: Partial<Record<WatchedHeader, string>>) =>
  Object.fromEntries(watchedHeaders.map((header) => [header, sent[header] ?? null])) as ComparableScan['headers']

const scan = (given: Partial<ComparableScan> = {}): ComparableScan => ({
  rubricVersion: 2,
  grade: 'B',
  headers: sends({}),
  ...given,
})

describe('the headers of scan changes', () => {
  const csp = 'content-security-policy'
  const frames = 'x-frame-options'

  test.each<[string, ComparableScan['headers'], ComparableScan['headers'], unknown[]]>([
    ['the same', sends({ [frames]: 'deny' }), sends({ [frames]: 'deny' }), []],
    ['none at all', sends({}), sends({}), []],
    ['a new one', sends({}), sends({ [frames]: 'deny' }), [[frames, 'added', null, 'deny']]],
    ['a new one without a value', sends({}), sends({ [frames]: '' }), [[frames, 'added', null, '']]],
    ['one gone', sends({ [frames]: '' }), sends({}), [[frames, 'removed', '', null]]],
    [
      'another value',
      sends({ [frames]: 'deny' }),
      sends({ [frames]: 'sameorigin' }),
      [[frames, 'changed', 'deny', 'sameorigin']],
    ],
    [
      'several, in the watched order',
      sends({ 'permissions-policy': 'camera=()', [frames]: 'deny' }),
      sends({ [frames]: 'sameorigin', [csp]: 'a b' }),
      [
        [csp, 'added', null, 'a b'],
        [frames, 'changed', 'deny', 'sameorigin'],
        ['permissions-policy', 'removed', 'camera=()', null],
      ],
    ],
    [
      'further ones, where both scans recorded them',
      { ...sends({}), 'integrity-policy': 'blocked-destinations=(script)', 'content-security-policy-meta': 'a; b' },
      { ...sends({}), 'integrity-policy': null, 'reporting-endpoints': 'a="https://a.test"' },
      [['integrity-policy', 'removed', 'blocked-destinations=(script)', null]],
    ],
  ])('compared headers: %s', (_, before, after, expected) => {
    const { headers } = scanChanges(scan({ headers: after }), scan({ headers: before }))
    expect(headers.map(({ header, change, before: was, after: is }) => [header, change, was, is])).toEqual(expected)
  })

  const [hsts, reportOnly] = ['strict-transport-security', 'content-security-policy-report-only'] as const

  test.each<[header: WatchedHeader, before: string, after: string]>([
    [hsts, 'max-age=1; includeSubDomains', 'max-age=1;includeSubDomains'],
    [hsts, 'max-age=1 ;a', 'max-age=1; a'],
    [hsts, 'max-age=1; includesubdomains; preload', 'includesubdomains;preload; max-age=1'],
    [hsts, 'max-age=2; b\nmax-age=2;a', 'max-age=2;b\nmax-age=2; a'],
    [csp, "script-src 'self' a.test 'nonce-1'", "script-src 'nonce-2' a.test 'self'"],
    [csp, "script-src a.test 'nonce-1' 'nonce-2'", "script-src 'nonce-3' a.test"],
    [csp, 'img-src a.test b.test; img-src c.test d.test', 'img-src b.test a.test; img-src d.test'],
    [csp, 'img-src b.test a.test\nimg-src c.test', 'img-src c.test, img-src a.test b.test'],
    [reportOnly, 'trusted-types a b', 'trusted-types b a'],
    [reportOnly, "require-trusted-types-for 'script'", "require-trusted-types-for  'script' "],
    [reportOnly, 'default-src b a; script-src b a', 'script-src a b; default-src a b'],
    [csp, "default-src 'self'; report-uri /csp?id=1", "default-src 'self'; report-uri /csp?id=2#a"],
  ])('of %s none: %j and %j', (header, before, after) => {
    const sent = (value: string) => scan({ headers: sends({ [header]: headerForm(header, value) }) })
    expect(scanChanges(sent(after), sent(before)).headers).toEqual([])
  })

  test.each<[header: WatchedHeader, before: string, after: string]>([
    [hsts, 'max-age=1; a', 'max-age=1; b'],
    [hsts, 'max-age=1', 'max-age = 1'],
    [csp, 'report-uri /a /b', 'report-uri /b /a'],
    [csp, 'img-src a; report-uri /a?1', 'img-src a; report-uri /b?1'],
    [csp, 'img-src a; report-uri /a?1', 'img-src a; report-uri /a'],
    [csp, 'img-src a; report-uri /a?1', 'img-src a'],
    [csp, 'img-src a; report-to a?1', 'img-src a; report-to a?2'],
    [csp, 'report-to a b', 'report-to b a'],
    [csp, 'sandbox allow-forms allow-scripts', 'sandbox allow-scripts allow-forms'],
    [csp, 'x-unknown a b', 'x-unknown b a'],
    [csp, 'img-src a b; img-src c', 'img-src c; img-src a b'],
    [csp, 'img-src a; script-src b', 'img-src b; script-src a'],
    [csp, 'img-src a, script-src b', 'img-src a; script-src b'],
    [csp, 'img-src https://a.test/A', 'img-src https://a.test/a'],
    ['x-frame-options', 'a;b', 'a; b'],
    ['permissions-policy', 'camera=(self "https://a.test")', 'camera=("https://a.test" self)'],
  ])('of %s one: %j and %j', (header, before, after) => {
    const [was, is] = [headerForm(header, before), headerForm(header, after)]
    const [then, now] = [was, is].map((value) => scan({ headers: sends({ [header]: value }) }))
    expect(now && scanChanges(now, then).headers).toEqual([{ header, change: 'changed', before: was, after: is }])
  })

  test('none where a scan of an earlier release kept the query of a report-uri', () => {
    const [before, after] = ['report-uri /csp?id=1', 'report-uri /csp?*'].map((value) =>
      scan({ headers: sends({ [csp]: value }) }),
    )
    expect(after && scanChanges(after, before).headers).toEqual([])
  })

  test('a policy has changed where a directive has other sources, in whatever order they are written', () => {
    const source = fc.constantFrom("'self'", 'a.test', 'https:', "'unsafe-inline'")
    const name = fc.constantFrom('default-src', 'script-src', 'img-src', 'frame-ancestors')
    const policy = fc.dictionary(name, fc.uniqueArray(source, { minLength: 1 }), { minKeys: 1 })
    const policies = fc.array(policy, { maxLength: 3 })
    type Policies = readonly Readonly<Record<string, readonly string[]>>[]
    const write = (given: Policies) =>
      given
        .map((one) =>
          Object.entries(one)
            .map(([of, values]) => `${of} ${values.join(' ')}`)
            .join(';'),
        )
        .join(',')
    const sorted = (given: Policies) =>
      given
        .map((one) =>
          Object.entries(one)
            .map(([of, values]) => `${of} ${values.toSorted()}`)
            .sort()
            .join(),
        )
        .sort()
    fc.assert(
      fc.property(policies, policies, (before, after) => {
        const sent = (given: Policies) => scan({ headers: sends({ [csp]: headerForm(csp, write(given)) }) })
        const isChanged = scanChanges(sent(after), sent(before)).headers.length > 0
        expect(isChanged).toBe(sorted(before).join(' | ') !== sorted(after).join(' | '))
      }),
      { numRuns: numberOfCases(500) },
    )
  })

  test('headers are compared across rubrics', () => {
    const before = scan({ rubricVersion: 1, headers: sends({ [frames]: 'deny' }) })
    expect(scanChanges(scan(), before).headers).toHaveLength(1)
  })
})

describe('the grade of scan changes', () => {
  test.each<[ScanGrade, ScanGrade, ScanGrade | null]>([
    ['A+', 'A', 'A+'],
    ['A', 'F', 'A'],
    ['D', 'F', 'D'],
    ['B', 'B', null],
    ['A', 'A+', null],
    ['F', 'C', null],
  ])('a grade from %s to %s dropped from %s', (before, after, dropped) => {
    expect(scanChanges(scan({ grade: after }), scan({ grade: before }))).toEqual({
      headers: [],
      gradeDroppedFrom: dropped,
      rebaselined: false,
    })
  })

  test.each([1, 3])('a grade is not compared with one under rubric %i', (rubricVersion) => {
    expect(scanChanges(scan({ grade: 'F' }), scan({ grade: 'A+', rubricVersion }))).toEqual({
      headers: [],
      gradeDroppedFrom: null,
      rebaselined: true,
    })
  })
})

test('the first complete scan has no changes', () => {
  const first = scan({ grade: 'F', headers: sends({ 'x-frame-options': 'deny' }) })
  expect(scanChanges(first, undefined)).toEqual({ headers: [], gradeDroppedFrom: null, rebaselined: false })
})
