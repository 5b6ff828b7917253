import type { HttpBindings } from '@hono/node-server'
import type { QueryCost } from '../../queries/clickhouse.ts'
import type { Caller } from './authenticator.ts'

/** What is known of one request so far; the log line and the answer's headers are made of it. */
export interface RequestState {
  readonly requestId: string
  /** From performance.now(). */
  readonly startedAt: number
  /** Headers of the answer, whatever it will be. */
  readonly headers: Record<string, string>
  operation?: string
  caller?: Caller
  /** Whether the answer is one that was given before and stands. */
  kept: boolean
  rowsRead: number
  bytesRead: number
  /** Of all statements together: those that ran side by side add up, so that it can exceed the request's own time. */
  engineMilliseconds: number
}

/** Hono's typing of what the pipeline keeps on a request. */
export interface ApiEnv {
  Bindings: HttpBindings
  Variables: { state: RequestState }
}

const acceptable = /^[A-Za-z0-9._-]{1,64}$/

/** @param asked the caller's own X-Request-Id; another is made where it is missing or has other characters. */
export function startRequest(asked: string | undefined): RequestState {
  const requestId = asked !== undefined && acceptable.test(asked) ? asked : crypto.randomUUID()
  return {
    requestId,
    startedAt: performance.now(),
    headers: { 'X-Request-Id': requestId },
    kept: false,
    rowsRead: 0,
    bytesRead: 0,
    engineMilliseconds: 0,
  }
}

export function addCost(state: RequestState, cost: QueryCost): void {
  state.rowsRead += cost.rowsRead
  state.bytesRead += cost.bytesRead
  state.engineMilliseconds += cost.milliseconds
}
