/** What is judged of a question. */
export interface Measured {
  /** Times faster than plain SQL on the wide table; undefined where one of both gave up. */
  readonly plainRatio: number | undefined
  readonly duckDbRatio: number | undefined
}

/** Every question must be this many times faster than DuckDB. */
const duckDbTarget = 3

/** The targets that a question misses, in words. @param plainTarget times faster than plain SQL, where one is set. */
export function missedTargets(measured: Measured, plainTarget: number | undefined): string[] {
  const { plainRatio, duckDbRatio } = measured
  const missed: string[] = []
  if (plainTarget !== undefined && plainRatio !== undefined && plainRatio < plainTarget) {
    missed.push(`plain ${plainRatio.toFixed(1)} of ${plainTarget}x`)
  }
  if (duckDbRatio !== undefined && duckDbRatio < duckDbTarget) {
    missed.push(`DuckDB ${duckDbRatio.toFixed(1)} of ${duckDbTarget}x`)
  }
  return missed
}
