import { expect, test } from 'vitest'
import { addGroups, hasFewValues } from '../../../../queries/reports/values.ts'

const none = '1970-01-01T00:00:00.000Z'
const day = (number: number) => `2026-01-0${number}T00:00:00.000Z`
const group = (values: string[], reportCount: number, firstSeen = day(1), lastSeen = day(1), previousCount = 0) => ({
  values,
  reportCount,
  previousCount,
  firstSeen,
  lastSeen,
})

test('groups of several slices add up, whose times are those of slices with reports in the window', () => {
  const rows = [
    group(['a'], 0, none, none, 5),
    group(['a'], 2, day(3), day(4)),
    group(['a'], 1, day(2), day(3), 1),
    group(['a'], 0, none, none, 2),
    group(['b'], 0, none, none, 9),
  ]
  expect(addGroups(rows, 20)).toEqual([group(['a'], 3, day(2), day(4), 8)])
  expect(addGroups(rows.toReversed(), 20)).toEqual([group(['a'], 3, day(2), day(4), 8)])
})

test('the largest groups come first, then the lower bytes of one value after the other', () => {
  const ordered = [
    group(['z', ''], 2),
    group(['a', 'b'], 1),
    group(['a\0', 'a'], 1),
    // UTF-16 has them the other way round.
    group(['\u{ff5e}', 'a'], 1),
    group(['\u{1f600}', 'a'], 1),
  ]
  expect(addGroups(ordered.toReversed(), 20)).toEqual(ordered)
  expect(addGroups(ordered.toReversed(), 2)).toEqual(ordered.slice(0, 2))
})

test('more rows than a statement may have are no ranking', () => {
  const rows = Array.from({ length: 1_001 }, (_, index) => group([String(index)], 1))
  expect(addGroups(rows, 1)).toBeUndefined()
  expect(addGroups(rows.slice(1), 1)).toHaveLength(1)
})

test('a ranking has few values where its filters and its groups have', () => {
  const ranking = {
    tenantId: '',
    reportType: 'csp-violation',
    window: { from: 0, to: 1 },
    previous: undefined,
    limit: 20,
  } as const
  const system = { dimension: 'osName', operator: 'any', values: ['Windows'] } as const
  const host = { dimension: 'blockedHost', operator: 'any', values: ['cdn.test'] } as const
  expect(hasFewValues({ ...ranking, terms: [system], groupBy: ['directive', 'browserName'] })).toBe(true)
  expect(hasFewValues({ ...ranking, terms: [host], groupBy: ['directive'] })).toBe(false)
  expect(hasFewValues({ ...ranking, terms: [], groupBy: ['directive', 'blockedHost'] })).toBe(false)
})
