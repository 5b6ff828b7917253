/** Ratios of the other systems' p50 to the API's; undefined if either has none. */
interface Ratios {
  readonly plainRatio: number | undefined
  readonly duckDbRatio: number | undefined
}

const duckDbTarget = 3

/** @param plainTarget least `plainRatio`, where one is set. */
export function missedTargets({ plainRatio, duckDbRatio }: Ratios, plainTarget: number | undefined): string[] {
  const missed: string[] = []
  if (plainTarget !== undefined && plainRatio !== undefined && plainRatio < plainTarget) {
    missed.push(`plain ${plainRatio.toFixed(1)} of ${plainTarget}x`)
  }
  if (duckDbRatio !== undefined && duckDbRatio < duckDbTarget) {
    missed.push(`DuckDB ${duckDbRatio.toFixed(1)} of ${duckDbTarget}x`)
  }
  return missed
}
