import { z } from 'zod'

/** Shapes of values as the store writes them in JSON. */

/** A count, unquoted. */
export const rowCount = z.int().min(0)

/** An unsigned 64-bit sum, written as text by `toString`, because JavaScript's numbers end at 2^53. */
export const rowBigSum = z.string().transform((digits) => BigInt(digits))

/** `2026-01-31T12:00:00.000Z`. */
export const rowTime = z.string()

/**
 * JSON in a column of text.
 * @param shape `z.custom<Value>()` for what was checked when it was stored and is too much to check again.
 * @param whenEmpty the JSON that '' stands for; without it '' is as bad as any text that is no JSON.
 */
export const rowJson = <Value>(shape: z.ZodType<Value>, whenEmpty = '') =>
  z.string().transform((json) => shape.parse(JSON.parse(json || whenEmpty)))

const areSafeIntegers = (value: unknown) => Array.isArray(value) && value.every(Number.isSafeInteger)

/** Whole numbers, unquoted, in one column's one value: checked as fast as they are read, because they can be 10,000. */
export const rowIntegers = z.custom<readonly number[]>(areSafeIntegers, 'Expected whole numbers')
