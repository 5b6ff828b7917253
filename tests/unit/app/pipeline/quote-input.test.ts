import { expect, test } from 'vitest'
import { quoteInput } from '../../../../app/pipeline/quote-input.ts'

test('quoted input is truncated, and never within a character', () => {
  expect(quoteInput('a'.repeat(64))).toBe(`"${'a'.repeat(64)}"`)
  expect(quoteInput('a'.repeat(65))).toBe(`"${'a'.repeat(64)}…"`)
  expect(quoteInput(`${'a'.repeat(63)}😀b`)).toBe(`"${'a'.repeat(63)}…"`)
})
