/** What is judged of a question. */
export interface Measured {
  /** Times faster than plain SQL on the wide table; undefined where one of both gave up. */
  readonly plainRatio: number | undefined
  readonly duckDbRatio: number | undefined
  readonly overheadMilliseconds: number | undefined
}

/** Every question must be this many times faster than DuckDB. */
const duckDbTarget = 3

/** What the API may take beyond the engine's own time. */
const overheadTarget = 3

/** The targets that a question misses, in words. @param plainTarget times faster than plain SQL, where one is set. */
export function missedTargets(measured: Measured, plainTarget: number | undefined): string[] {
  const { plainRatio, duckDbRatio, overheadMilliseconds } = measured
  const missed: string[] = []
  if (plainTarget !== undefined && plainRatio !== undefined && plainRatio < plainTarget) {
    missed.push(`plain ${plainRatio.toFixed(1)} of ${plainTarget}x`)
  }
  if (duckDbRatio !== undefined && duckDbRatio < duckDbTarget) {
    missed.push(`DuckDB ${duckDbRatio.toFixed(1)} of ${duckDbTarget}x`)
  }
  if (overheadMilliseconds !== undefined && overheadMilliseconds > overheadTarget) {
    missed.push(`overhead ${overheadMilliseconds.toFixed(1)} of ${overheadTarget} ms`)
  }
  return missed
}
