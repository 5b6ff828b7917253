import fc from 'fast-check'
import semver from 'semver'
import { describe, expect, test } from 'vitest'
import { compareVersions, isWithin } from '../../../../../schema/rules/scripts/library-version.ts'

test('versions are in the order of releases', () => {
  const inOrder = [
    '0.0.0-0',
    '0.0.1',
    '0.9.9',
    '1.0.0-alpha',
    '1.0.0-alpha.1',
    '1.0.0-alpha.beta',
    '1.0.0-beta',
    '1.0.0-beta.2',
    '1.0.0-beta.11',
    '1.0.0-rc.1',
    '1.0.0',
    '1.0.0.1',
    '1.2.0',
    '1.10.0',
    '1.10.9007199254740993',
    '1.10.9007199254740994',
    '2.0.0',
    '10.0.0',
  ]
  for (const [a, one] of inOrder.entries()) {
    for (const [b, other] of inOrder.entries()) expect(Math.sign(compareVersions(one, other))).toBe(Math.sign(a - b))
  }
})

test('versions have the order of npm', () => {
  const number = fc.integer({ min: 0, max: 12 }).map(String)
  const word = fc.oneof(number, fc.stringMatching(/^[a-zA-Z-][0-9a-zA-Z-]{0,3}$/))
  const version = fc
    .tuple(number, number, number, fc.array(word, { maxLength: 3 }))
    .map(([major, minor, patch, words]) => `${major}.${minor}.${patch}${words.length > 0 ? `-${words.join('.')}` : ''}`)
  fc.assert(
    fc.property(version, version, (a, b) => {
      expect(Math.sign(compareVersions(a, b))).toBe(semver.compare(a, b))
    }),
    { numRuns: 2_000 },
  )
})

test.each([
  ['1.12', '1.12.0'],
  ['v1.2.3', '1.2.3'],
  ['1.2.3+build.5', '1.2.3'],
  ['01.2.3', '1.2.3'],
  [' 1.2.3', '1.2.3'],
])('version %s equals %s', (one, other) => {
  expect(compareVersions(one, other)).toBe(0)
})

describe('a range of versions', () => {
  const range = (introduced: string | null, fixed: string | null, lastAffected: string | null = null) => ({
    introduced,
    fixed,
    lastAffected,
  })

  test.each([
    ['3.4.1', range('1.0.3', '3.5.0'), true],
    ['1.0.3', range('1.0.3', '3.5.0'), true],
    ['1.0.2', range('1.0.3', '3.5.0'), false],
    ['3.5.0', range('1.0.3', '3.5.0'), false],
    ['3.5.0-rc.1', range('1.0.3', '3.5.0'), true],
    ['0.0.1', range(null, '3.5.0'), true],
    ['99', range('1.0.0', null), true],
    ['2.0.0', range('1.0.0', null, '2.0.0'), true],
    ['2.0.1', range('1.0.0', null, '2.0.0'), false],
    ['1.10.0', range('1.9.0', '1.11.0'), true],
    ['1', range(null, null), true],
  ])('version %s in the range %j: %s', (version, of, within) => {
    expect(isWithin(version, of)).toBe(within)
  })
})
