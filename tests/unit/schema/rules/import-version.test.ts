import { expect, test } from 'vitest'
import { importVersion } from '../../../../schema/rules/import-version.ts'

/** @param second of one minute. */
const step = (token: string, state: string, second: number) => ({
  token,
  state,
  recordedAt: new Date(Date.UTC(2026, 10, 22, 10, 0, second)).toISOString(),
})

test.each([
  ['nothing was imported', []],
  ['every batch is done', [step('a', 'started', 1), step('a', 'done', 2)]],
  ['a batch began before', [step('a', 'done', 1)]],
  ['a batch was sent again and is done', [step('a', 'started', 1), step('a', 'started', 2), step('a', 'done', 3)]],
])('%s: the tenant has a version, in any order of rows', (_, steps) => {
  expect(importVersion(steps)).toBeTypeOf('string')
  expect(importVersion([...steps].reverse())).toBe(importVersion(steps))
})

test.each([
  ['a batch is in flight', [step('a', 'started', 1)]],
  ['one of two is', [step('a', 'started', 1), step('a', 'done', 2), step('b', 'started', 2)]],
  ['a batch is imported again', [step('a', 'started', 1), step('a', 'done', 2), step('a', 'started', 3)]],
  ['which came last cannot be told', [step('a', 'started', 1), step('a', 'done', 1)]],
])('%s: the tenant has no version, in any order of rows', (_, steps) => {
  expect(importVersion(steps)).toBeUndefined()
  expect(importVersion([...steps].reverse())).toBeUndefined()
})

test('each import changes the version, the same file again too', () => {
  const first = [step('a', 'started', 1), step('a', 'done', 2)]
  const again = [...first, step('a', 'started', 3), step('a', 'done', 4)]
  const further = [...first, step('b', 'started', 3), step('b', 'done', 4)]
  expect(new Set([[], first, again, further].map(importVersion)).size).toBe(4)
})

test('a version is short however much was imported', () => {
  const steps = Array.from({ length: 500 }, (_, index) => step(`${index}`.padStart(64, '0'), 'done', 1))
  expect(importVersion(steps)?.length).toBeLessThan(50)
})
