/** A half-open span of time, in milliseconds since the Unix epoch: `from` is in, `to` is not. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** The spans that one grain answers. */
export interface Coverage {
  /** Milliseconds; 1 for rows kept to the millisecond. */
  readonly grain: number
  readonly spans: readonly Span[]
}

/**
 * Splits a window among grains, coarsest first: each takes the aligned interior of what is left, the next finer one
 * the edges. With 1 as the last grain the coverage is exact at any bounds.
 */
export function cover(window: Span, grains: readonly number[]): Coverage[] {
  let rest: Span[] = window.from < window.to ? [window] : []
  const coverages: Coverage[] = []
  for (const grain of grains) {
    const spans: Span[] = []
    rest = rest.flatMap((span) => {
      const from = Math.ceil(span.from / grain) * grain
      const to = Math.floor(span.to / grain) * grain
      if (from >= to) return [span]
      spans.push({ from, to })
      return [
        { from: span.from, to: from },
        { from: to, to: span.to },
      ].filter((edge) => edge.from < edge.to)
    })
    if (spans.length > 0) coverages.push({ grain, spans })
  }
  return coverages
}

/** Several windows' coverages as one, span lists joined grain by grain. */
export function coverAll(windows: readonly Span[], grains: readonly number[]): Coverage[] {
  const parts = windows.flatMap((window) => cover(window, grains))
  return grains.flatMap((grain) => {
    const spans = parts.filter((part) => part.grain === grain).flatMap((part) => part.spans)
    return spans.length > 0 ? [{ grain, spans }] : []
  })
}
