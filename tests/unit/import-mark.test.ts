import { expect, test } from 'vitest'
import { importMark } from '../../queries/rules/import-mark.ts'

const step = (token: string, state: string, given: { hosts?: string[]; recordedAt?: string } = {}) => ({
  previousToken: 'before',
  token,
  hosts: [],
  state,
  recordedAt: '2026-11-22T10:00:00.000Z',
  ...given,
})

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
  [
    'a second pass over the same batch is',
    [step('a', 'started'), step('a', 'done'), step('a', 'started', { hosts: ['x'] })],
  ],
])('%s: there is none', (_, steps) => {
  expect(importMark(steps)).toBeUndefined()
})

test('each import makes another mark, and so does the same one again', () => {
  const first = [step('a', 'started'), step('a', 'done')]
  const again = [...first, step('a', 'done', { recordedAt: '2026-11-22T10:00:00.001Z' })]
  const further = [...first, step('b', 'started'), step('b', 'done')]
  expect(new Set([[], first, again, further].map(importMark)).size).toBe(4)
})
