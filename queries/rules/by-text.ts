/** @module Orders of texts. */

/** By UTF-16 units, as `sort` does without a function. */
export const byText = (a: string, b: string): number => (a < b ? -1 : Number(a > b))

/** By UTF-8 bytes, as ClickHouse does. */
export const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))
