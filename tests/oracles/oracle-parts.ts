/** @module What several oracles compute alike, the plain way: no SQL, no code of the API. */

import type { DimensionName } from '../../schema/dimensions.ts'
import type { StoredReport } from '../../schema/stored-report.ts'

/** Half open, in milliseconds since the Unix epoch. */
export interface OracleWindow {
  readonly from: number
  readonly to: number
}

export type AnyRow = Pick<StoredReport, 'receivedAt' | 'id' | 'weight' | 'browserName'>

/** `_` matches any one character. */
function meets(stored: string, filter: string): boolean {
  const characters = [...stored]
  const wanted = [...filter]
  return characters.length === wanted.length && wanted.every((one, index) => one === '_' || one === characters[index])
}

/** Whether a value passes a filter `x`, `x.any`, `x.not` or `x.contains`. */
export function passes(stored: string, operator: string, values: readonly string[], isExact = false): boolean {
  if (operator === 'contains') return values.every((part) => stored.includes(part))
  const isAny = values.some((value) => (isExact ? stored === value : meets(stored, value)))
  return operator === 'not' ? !isAny : isAny
}

export const within = ({ receivedAt }: Pick<AnyRow, 'receivedAt'>, { from, to }: OracleWindow) =>
  receivedAt >= from && receivedAt < to

/** Without query; stored URLs have no fragment. */
export const pageOf = ({ documentUrl }: Pick<StoredReport, 'documentUrl'>) => documentUrl.split('?')[0] ?? ''

export const dimensionValue = (row: StoredReport, dimension: DimensionName): string =>
  dimension === 'page' ? pageOf(row) : row[dimension]

export const byteLength = (text: string) => Buffer.byteLength(text)

export const weightOf = (rows: readonly Pick<AnyRow, 'weight'>[]) =>
  rows.reduce((sum, row) => sum + BigInt(row.weight), 0n)

/** Rounded half up. */
export const estimated = (rows: readonly Pick<AnyRow, 'weight'>[]) =>
  Number((weightOf(rows) * 2n + 1_000_000n) / 2_000_000n)

export const distinct = (texts: readonly string[]) => [...new Set(texts)].filter((text) => text !== '')

export const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))

export const families = (rows: readonly AnyRow[]) => distinct(rows.map(({ browserName }) => browserName)).sort(byBytes)

export function mostFrequent(texts: readonly string[], most: number): string[] {
  const count = (text: string) => texts.filter((one) => one === text).length
  return distinct(texts)
    .sort((a, b) => count(b) - count(a) || byBytes(a, b))
    .slice(0, most)
}

export function times(rows: readonly Pick<AnyRow, 'receivedAt'>[]) {
  const received = rows.map(({ receivedAt }) => receivedAt).sort((a, b) => a - b)
  const iso = (time: number | undefined) => new Date(time ?? 0).toISOString()
  return { firstSeen: iso(received[0]), lastSeen: iso(received.at(-1)) }
}
