/** @module Schemas of values as ClickHouse writes them in JSON. */

import { z } from 'zod'

export const rowCount = z.int().min(0)

/** A UInt64 sum as text from `toString`, because JavaScript's integers end at 2^53. */
export const rowBigSum = z.string().transform((digits) => BigInt(digits))

const areDigits = (value: unknown) =>
  Array.isArray(value) && value.every((digits) => typeof digits === 'string' && /^\d+$/.test(digits))

/** UInt64 in one value, each as `toString` writes it. */
export const rowDigits = z.custom<readonly string[]>(areDigits, 'Expected digits')

/** UInt64 sums in one value. */
export const rowBigSums = rowDigits.transform((sums) => sums.map(BigInt))

/** `2026-01-31T12:00:00.000Z`. */
export const rowTime = z.string()

/**
 * JSON in a text column.
 * @param schema `z.custom<Value>()` for JSON that was checked when it was stored and is too large to check again.
 * @param whenEmpty replaces ''.
 */
export const rowJson = <Value>(schema: z.ZodType<Value>, whenEmpty = '') =>
  z.string().transform((json) => schema.parse(JSON.parse(json || whenEmpty)))

const areSafeIntegers = (value: unknown) => Array.isArray(value) && value.every(Number.isSafeInteger)

/** Up to 10,000 integers in one value, checked without zod's cost an element. */
export const rowIntegers = z.custom<readonly number[]>(areSafeIntegers, 'Expected whole numbers')

const areTexts = (value: unknown) => Array.isArray(value) && value.every((text) => typeof text === 'string')

/** Texts in one value, checked without zod's cost an element. */
export const rowTexts = z.custom<readonly string[]>(areTexts, 'Expected texts')

export function onlyRow<Row>(rows: readonly Row[]): Row {
  const [row, ...others] = rows
  if (row === undefined || others.length > 0) throw new Error(`expected one row, got ${rows.length}`)
  return row
}

export const chunksOf = <Item>(items: readonly Item[], size: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size))
