/**
 * Chance inside the engine: every draw is an expression of the row's `number` and of nothing else, so that the same
 * number always gives the same report.
 */

const draws = [
  ...['tenant', 'smallTenant', 'type', 'page', 'browser', 'blockedHost', 'script', 'directive', 'disposition'],
  ...['sample', 'feature', 'detail', 'policy', 'line', 'query', 'address', 'stack'],
] as const
type Draw = (typeof draws)[number]

/** From 1 to `places`, place k about as often as 1 / k. */
export const skewed = (places: number, draw: Draw) => skewedBy(String(skewOf(places)), draw)

/** What {@link skewedBy} takes for so many places: an exponential of a number is computed sooner than a power. */
export const skewOf = (places: number) => Math.log(places + 1)

/** As {@link skewed}, for an expression of {@link skewOf}. */
export const skewedBy = (skew: string, draw: Draw) => `toUInt32(exp(${skew} * draw_${draw}))`

/** From 1 to `places`, each as often. */
export const even = (places: number, draw: Draw) => `toUInt32(${places} * draw_${draw}) + 1`

/** True with this probability. */
export const chance = (probability: number, draw: Draw) => `draw_${draw} < ${probability}`

/** A text as SQL writes it. */
export const quoted = (value: string) => `'${value.replace(/[\\']/g, '\\$&')}'`

/** Texts as an array. */
export const list = (values: readonly string[]) => `[${values.map(quoted).join(', ')}]`

/** The text at a place, from 1 on. */
export const at = (values: readonly string[], place: string) => `${list(values)}[${place}]`

/** Hashes of the row's number, and a number in (0, 1) from 20 bits of one for each draw: columns by their names. */
export const drawColumns: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Array.from({ length: 6 }, (_, hash) => [`hash_${hash}`, `cityHash64(number, ${hash})`])),
  ...Object.fromEntries(
    draws.map((draw, index) => [
      `draw_${draw}`,
      `(bitAnd(bitShiftRight(hash_${index % 6}, ${Math.floor(index / 6) * 20}), 1048575) + 0.5) / 1048576`,
    ]),
  ),
}
