import { expect, test } from 'vitest'
import { importMark } from '../../queries/rules/import-mark.ts'

const step = (pass: string, state: string, recordedAt = '2026-11-22T10:00:00.000Z') => ({ pass, state, recordedAt })

test.each([
  ['nothing was imported', []],
  ['every pass is done', [step('a', 'started'), step('a', 'done')]],
  ['a pass began before', [step('a', 'done')]],
  ['a pass was sent again and is done', [step('a', 'started'), step('a', 'started'), step('a', 'done')]],
])('%s: there is a mark, whatever the order', (_, steps) => {
  expect(importMark(steps)).toBeTypeOf('string')
  expect(importMark([...steps].reverse())).toBe(importMark(steps))
})

test.each([
  ['a pass is under way', [step('a', 'started')]],
  ['one of two is', [step('a', 'started'), step('a', 'done'), step('b', 'started')]],
])('%s: there is none', (_, steps) => {
  expect(importMark(steps)).toBeUndefined()
})

test('each import makes another mark, and so does the same one again', () => {
  const first = [step('a', 'started'), step('a', 'done')]
  const again = [...first, step('a', 'done', '2026-11-22T10:00:00.001Z')]
  const further = [...first, step('b', 'started'), step('b', 'done')]
  expect(new Set([[], first, again, further].map(importMark)).size).toBe(4)
})

test('a mark is short, however much was imported', () => {
  const steps = Array.from({ length: 500 }, (_, index) => step(`${index}`.padStart(32, '0'), 'done'))
  expect(importMark(steps)?.length).toBeLessThan(50)
})
