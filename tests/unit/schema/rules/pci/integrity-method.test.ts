import { expect, test } from 'vitest'
import { dayMs } from '../../../../../schema/durations.ts'
import {
  integrityMethod,
  isScannedWeekly,
  type ScannedScript,
} from '../../../../../schema/rules/pci/integrity-method.ts'

const now = Date.parse('2026-03-31T12:00:00Z')
const daysAgo = (days: number) => now - days * dayMs
const inWeeks = (...weeks: number[]) => weeks.map((week): [number, string] => [week, 'sha256-a'])
const page = (found: ScannedScript['pages'][number]['found'], addedAt = 0) => ({ addedAt, found })
const all = inWeeks(0, 1, 2, 3, 4)

test.each<[string, number, ScannedScript['pages'], boolean]>([
  ['each of five weeks', 400, [page(all)], true],
  ['a week without it', 400, [page(inWeeks(0, 1, 2, 4))], false],
  ['other bytes in a week', 400, [page([...inWeeks(0, 1, 2, 4), [3, 'sha256-b']])], false],
  ['other bytes too', 400, [page([...all, [3, 'sha256-b']])], true],
  ['another page without scans', 400, [page(all), page([])], false],
  ['no page', 400, [], false],
  ['an authorization of three weeks', 22, [page(inWeeks(0, 1, 2))], true],
  ['an authorization of three weeks, and a week without it', 22, [page(inWeeks(0, 2))], false],
  ['an authorization of today', 0, [page(inWeeks(0))], true],
  ['an authorization of today before any scan', 0, [page([])], false],
  ['a page of two weeks', 400, [page(all), page(inWeeks(0, 1), daysAgo(15))], true],
])('scans found the authorized bytes: %s', (_, days, pages, expected) => {
  const script = { pinnedHashes: ['sha256-a', 'sha256-c'], authorizedAt: daysAgo(days), pages }
  expect(isScannedWeekly(script, now)).toBe(expected)
})

test.each([
  ['SRI', 'unknown', true, true],
  ['SRI', 'protected', true, false],
  ['Integrity-Policy', 'protected', false, true],
  ['scan', 'unprotected', true, true],
  ['scan', 'unknown', false, true],
  ['none', 'unprotected', true, false],
  ['none', 'unknown', false, false],
] as const)('the method is %s of coverage %s', (method, state, hasIntegrity, isScanned) => {
  expect(integrityMethod({ state, hasIntegrity, isScanned })).toBe(method)
})
