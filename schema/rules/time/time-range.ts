/** Milliseconds since the Unix epoch, half-open: `from` is included, `to` is not. */
export interface TimeRange {
  readonly from: number
  readonly to: number
  /** Without it retention begins before `from` for every row. */
  readonly expired?: ExpiredRows
}

/** Rows that expired under a shorter retention, in milliseconds since the Unix epoch. A rollup's row can count some of them. */
export interface ExpiredRows {
  readonly before: number
  /** Start of the UTC day by which they have expired. */
  readonly today: number
}

export interface GrainRanges {
  /** Milliseconds; 1 for raw rows. */
  readonly grain: number
  readonly ranges: readonly TimeRange[]
}

/**
 * Splits windows among grains, coarsest first: each covers the aligned interior of the rest, the next finer one the
 * edges. With 1 as the last grain the split is exact at any bounds.
 */
export function splitByGrain(windows: readonly TimeRange[], grains: readonly number[]): GrainRanges[] {
  let rest = windows.filter(({ from, to }) => from < to)
  return grains.flatMap((grain) => {
    const ranges: TimeRange[] = []
    rest = rest.flatMap((range) => {
      const from = Math.ceil(range.from / grain) * grain
      const to = Math.floor(range.to / grain) * grain
      if (from >= to) return [range]
      ranges.push({ from, to })
      const edges = [
        { from: range.from, to: from },
        { from: to, to: range.to },
      ]
      return edges.filter((edge) => edge.from < edge.to)
    })
    return ranges.length > 0 ? [{ grain, ranges }] : []
  })
}
