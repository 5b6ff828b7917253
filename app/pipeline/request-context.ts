import type { HttpBindings } from '@hono/node-server'
import type { QueryCost } from '../../queries/clickhouse/parse-response.ts'
import type { TimeRange } from '../../queries/rollups/time-range.ts'
import type { Read } from '../../queries/sql/query.ts'
import type { Caller } from './authenticator.ts'
import type { CursorState } from './cursor.ts'
import type { Page } from './page.ts'

/** Facts of one request: its log line, its metrics and its response headers are made of them. */
export interface RequestContext {
  readonly requestId: string
  /** From performance.now(). */
  readonly startedAt: number
  /** Headers of the response, whichever it will be. */
  readonly responseHeaders: Record<string, string>
  operation?: string
  /** Whether the response cache had the response; undefined where the operation is not cached. */
  cacheHit?: boolean
  rowsRead: number
  bytesRead: number
  /** Sum over all statements: concurrent ones add up, so that it can exceed the request's own time. */
  engineMs: number
}

/** Validated values, by parameter. */
export type Params = Record<string, unknown> & { siteId?: string }

/** Validated query parameters, those of the window and the page included. */
type QueryParams = Params & { from?: Date; to?: Date; limit?: number; cursor?: string }

/** Hono's typing of a request: each variable is set by the step named beside it. */
export interface ApiEnv {
  Bindings: HttpBindings
  Variables: {
    /** createApi */
    request: RequestContext
    /** startOperation: aborted when the client disconnects. */
    clientSignal: () => AbortSignal
    /** startOperation: reads as the caller, until the signal is aborted. */
    readUntil: (signal?: AbortSignal) => Read
    /** startOperation: reads as the caller, until the client disconnects. */
    read: Read
    /** authenticate */
    caller: Caller
    /** validate */
    query: QueryParams
    /** validate */
    path: Params
    /** validate: the operation's own parameters, of path and query. */
    params: Params
    /** validate */
    filter: unknown
    /** readCursor: binds the cursors of this request to its operation, tenant and filters. */
    fingerprint: string
    /** readCursor */
    cursor: CursorState<unknown> | undefined
    /** resolveWindow: the first moment the tenant's retention reaches. */
    retentionFrom: Date
    /** resolveWindow */
    window: TimeRange | undefined
    /** resolveWindow */
    earlier: TimeRange | undefined
    /** readPage */
    page: Page<never, unknown> | undefined
  }
}

const acceptable = /^[A-Za-z0-9._-]{1,64}$/

/** @param requestId the caller's X-Request-Id; a new id replaces one that is missing or has other characters. */
export function createRequestContext(requestId: string | undefined): RequestContext {
  const id = requestId !== undefined && acceptable.test(requestId) ? requestId : crypto.randomUUID()
  return {
    requestId: id,
    startedAt: performance.now(),
    responseHeaders: { 'X-Request-Id': id },
    rowsRead: 0,
    bytesRead: 0,
    engineMs: 0,
  }
}

export function addCost(request: RequestContext, cost: QueryCost): void {
  request.rowsRead += cost.rowsRead
  request.bytesRead += cost.bytesRead
  request.engineMs += cost.elapsedMs
}
