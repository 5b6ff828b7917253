/** Nearest rank. Throws on an empty list. @param share from 0 to 1. */
export function percentile(values: readonly number[], share: number): number {
  const ordered = [...values].sort((a, b) => a - b)
  const found = ordered[Math.max(0, Math.ceil(share * ordered.length) - 1)]
  if (found === undefined) throw new RangeError('a percentile of nothing')
  return found
}
