import { z } from 'zod'

/** Shapes of values as the store writes them in JSON. */

/** A count, unquoted. */
export const rowCount = z.int().min(0)

/** An unsigned 64-bit sum, written as text by `toString`, because JavaScript's numbers end at 2^53. */
export const rowBigSum = z.string().transform((digits) => BigInt(digits))

/** `2026-01-31T12:00:00.000Z`. */
export const rowTime = z.string()

const areSafeIntegers = (value: unknown) => Array.isArray(value) && value.every(Number.isSafeInteger)

/** Whole numbers, unquoted, in one column's one value: checked as fast as they are read, because they can be 10,000. */
export const rowIntegers = z.custom<readonly number[]>(areSafeIntegers, 'Expected whole numbers')
