/** @module Orders of texts. */

/** Sorts by UTF-16 units, like `sort` without a function. */
export const byText = (a: string, b: string): number => (a < b ? -1 : Number(a > b))

/** Sorts by UTF-8 bytes, like ClickHouse. */
export const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))
