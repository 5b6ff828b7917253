import { describe, expect, test } from 'vitest'
import { type ComparableScan, scanChanges } from '../../../../../queries/rules/scans/scan-changes.ts'
import { type ScanGrade, type WatchedHeader, watchedHeaders } from '../../../../../schema/enumerations.ts'

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
  ])('compared headers: %s', (_, before, after, expected) => {
    const { headers } = scanChanges(scan({ headers: after }), scan({ headers: before }))
    expect(headers.map(({ header, change, before: was, after: is }) => [header, change, was, is])).toEqual(expected)
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
