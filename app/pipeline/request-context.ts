import type { Readable } from 'node:stream'
import type { HttpBindings } from '@hono/node-server'
import type { ExportQuery, Reader } from '../../queries/sql/query.ts'
import type { TimeRange } from '../../schema/rules/time/time-range.ts'
import type { Charge } from '../budgets/budget-store.ts'
import type { Caller } from './authenticator.ts'
import type { CursorState } from './cursor.ts'
import type { Page } from './page.ts'

export interface RequestContext {
  readonly requestId: string
  /** Time of performance.now(). */
  readonly startedAt: number
  /** Sent with a 200, a 304 and an error alike. */
  readonly responseHeaders: Record<string, string>
  operation?: string
  /** Its key was found. */
  hasCaller?: true
  /** The operation's declared path. */
  route?: string
  /** Names of the spent budgets. */
  refusedBudgets?: readonly string[]
  /** Site of a post to the collector, which has no caller. */
  site?: { readonly id: string; readonly tenantId: string }
  /** Undefined if the operation is not cached. */
  cacheHit?: boolean
  rowsRead: number
  bytesRead: number
  /** Sum over all statements, which can exceed the request's own time. */
  engineMs: number
}

export type Params = Record<string, unknown> & {
  siteId?: string
  'siteId.any'?: readonly string[]
  'siteId.not'?: readonly string[]
}

export type QueryParams = Params & { from?: Date; to?: Date; last?: number; limit?: number; cursor?: string }

/** Context variables, each below the step that sets it. */
export interface ApiEnv {
  Bindings: HttpBindings
  Variables: {
    /** observe */
    request: RequestContext
    /** startOperation: created on demand, aborts when the client disconnects. */
    clientSignal: () => AbortSignal
    createReader: (signal?: () => AbortSignal) => Reader
    /** Aborts when the client disconnects. */
    reader: Reader
    openExport: (query: ExportQuery) => Promise<Readable>
    /** authenticate */
    caller: Caller
    /** chargeBudgets */
    charge: Charge
    /** validate */
    query: QueryParams
    path: Params
    /** Parameters of path and query, without window and page. */
    params: Params
    filter: unknown
    /** The request has a parameter that the contract lacks. */
    hasAdditions: boolean
    /** readCursor */
    fingerprint: string
    cursor: CursorState<unknown> | undefined
    /** resolveWindow */
    retentionFrom: Date
    window: TimeRange | undefined
    earlier: TimeRange | undefined
    /** readPage */
    page: Page<never, unknown> | undefined
  }
}

const acceptable = /^[A-Za-z0-9._-]{1,64}$/

/**
 * Id and budgets so far, and timings if the key was found: clients without a valid key learn nothing about its lookup.
 */
export const headersOf = (request: RequestContext): Record<string, string> => ({
  ...request.responseHeaders,
  ...(request.hasCaller && { 'Server-Timing': serverTiming(request) }),
})

/** Milliseconds in ClickHouse, over all statements, and of the whole request (W3C Server Timing). */
function serverTiming({ cacheHit, engineMs, startedAt }: RequestContext): string {
  const cache = cacheHit === undefined ? '' : `cache;desc=${cacheHit ? 'hit' : 'miss'}, `
  return `${cache}db;dur=${engineMs.toFixed(1)}, total;dur=${(performance.now() - startedAt).toFixed(1)}`
}

/** A new id replaces an X-Request-Id that is missing or breaks Rule 12. */
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
