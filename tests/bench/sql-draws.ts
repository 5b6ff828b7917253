/**
 * @module Random draws in SQL. A draw depends on the row's `number` alone, so a number always gives the same report.
 */

const draws = [
  ...['tenant', 'smallTenant', 'type', 'page', 'browser', 'blockedHost', 'script', 'directive', 'disposition'],
  ...['sample', 'feature', 'detail', 'policy', 'line', 'query', 'address', 'stack'],
] as const
type Draw = (typeof draws)[number]

/** Zipf: from 1 to `places`, place k about as often as 1 / k. */
export const zipf = (places: number, draw: Draw) => zipfBy(String(zipfExponent(places)), draw)

/** Exponent for `zipfBy`; `exp` is cheaper than a power. */
export const zipfExponent = (places: number) => Math.log(places + 1)

/** `zipf` with the exponent as an SQL expression. */
export const zipfBy = (exponent: string, draw: Draw) => `toUInt32(exp(${exponent} * draw_${draw}))`

/** From 1 to `places`, equally often. */
export const uniform = (places: number, draw: Draw) => `toUInt32(${places} * draw_${draw}) + 1`

/** True with this probability. */
export const chance = (probability: number, draw: Draw) => `draw_${draw} < ${probability}`

export const quoted = (value: string) => `'${value.replace(/[\\']/g, '\\$&')}'`

export const list = (values: readonly string[]) => `[${values.map(quoted).join(', ')}]`

/** @param place SQL expression, from 1 on. */
export const at = (values: readonly string[], place: string) => `${list(values)}[${place}]`

/** Columns: six hashes of `number`, and for each draw a number in (0, 1) from 20 bits of one of them. */
export const drawColumns: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Array.from({ length: 6 }, (_, hash) => [`hash_${hash}`, `cityHash64(number, ${hash})`])),
  ...Object.fromEntries(
    draws.map((draw, index) => [
      `draw_${draw}`,
      `(bitAnd(bitShiftRight(hash_${index % 6}, ${Math.floor(index / 6) * 20}), 1048575) + 0.5) / 1048576`,
    ]),
  ),
}
