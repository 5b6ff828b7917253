import type { SupervisorEvent } from '../../clickhouse/engine/supervisor.ts'
import type { TimeRange } from '../../queries/rollups/time-range.ts'

/** When the engine worked for which statement, as it tells its supervisor; to the millisecond. */
export interface EngineWatch {
  readonly onEvent: (event: SupervisorEvent) => void
  /** Milliseconds in which at least one statement of the request was under way. */
  busyMilliseconds(requestId: string): number
}

/** Statements of a request have its id at the start of their own. */
export function watchEngine(now: () => number = performance.now.bind(performance)): EngineWatch {
  const spans = new Map<string, TimeRange[]>()
  return {
    onEvent(event) {
      if (event.event === 'died') process.stderr.write('The embedded engine died and is started again\n')
      if (event.event !== 'query') return
      const requestId = event.queryId.slice(0, uuidLength)
      const to = now()
      spans.set(requestId, [...(spans.get(requestId) ?? []), { from: to - event.milliseconds, to }])
    },
    busyMilliseconds: (requestId) => unionLength(spans.get(requestId) ?? []),
  }
}

const uuidLength = 36

/** The length of time that spans cover together. */
export function unionLength(spans: readonly TimeRange[]): number {
  let covered = 0
  let until = Number.NEGATIVE_INFINITY
  for (const { from, to } of [...spans].sort((a, b) => a.from - b.from)) {
    covered += Math.max(0, to - Math.max(from, until))
    until = Math.max(until, to)
  }
  return covered
}
