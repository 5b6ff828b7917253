import { expect, test } from 'vitest'
import { echo } from '../../../app/pipeline/quote-input.ts'

test('what was sent is cut short, and no character in two', () => {
  expect(echo('a'.repeat(64))).toBe(`"${'a'.repeat(64)}"`)
  expect(echo('a'.repeat(65))).toBe(`"${'a'.repeat(64)}…"`)
  expect(echo(`${'a'.repeat(63)}😀b`)).toBe(`"${'a'.repeat(63)}…"`)
})
