/**
 * @module Reads and exports: each waits for the circuit breaker and its pool, and is retried once after a closed
 * connection.
 */

import type { Readable } from 'node:stream'
import { ClickHouseError } from '@clickhouse/client'
import { Problem } from '../../schema/problems.ts'
import type { ExportQuery, PoolName, Query } from '../sql/query.ts'
import { render } from '../sql/sql.ts'
import { createCircuitBreaker } from './circuit-breaker.ts'
import { limitConcurrency, type RunLimited } from './concurrency-limiter.ts'
import type { Database, DatabaseObserver, QueryOrigin, ReadOptions } from './database.ts'
import { faultKind, isRefusal } from './error-codes.ts'
import type { Nodes } from './nodes.ts'
import { openExport } from './open-export.ts'
import type { ClickHouseNode } from './open-node.ts'
import { parseResponse } from './parse-response.ts'
import { fewRowsSettings, poolSettings, type QueryPool, type QueryPools } from './query-pools.ts'
import { whileReplicasAreStale } from './stale-replicas.ts'
import { ClientDisconnected, retryOnClosedConnection, withTimeout } from './with-timeout.ts'

export interface ReadsOptions {
  readonly pools: QueryPools
  readonly settings: Readonly<Record<string, string>>
  /** See ConnectOptions. */
  readonly isOfRequests: boolean
  readonly aliveTimeoutMs: number
  /** True if every node has the parts that it knows of. Rejects if a node does not respond. */
  readonly areInStep: () => Promise<boolean>
  readonly exportWaitMs: number
  /** The current one. */
  readonly observer: () => DatabaseObserver
}

const readSettings = {
  default_format: 'JSONCompact',
  date_time_output_format: 'iso',
  output_format_json_quote_64bit_integers: '0',
  output_format_json_escape_forward_slashes: '0',
  // Its two threads per statement take half the time of a lookup, and a tenth of other small results.
  output_format_parallel_formatting: '0',
  // Before 25.11 a response with the exception in its body ends as if it were complete.
  http_write_exception_in_output_format: '0',
}

export function readsOn(nodes: Nodes<ClickHouseNode>, options: ReadsOptions): Pick<Database, 'read' | 'export'> {
  const { pools, observer, exportWaitMs, areInStep, isOfRequests } = options
  const settingsOfReads = { ...readSettings, ...options.settings }
  const limiters = limitersOf(pools, observer)
  const breaker = createCircuitBreaker(
    () => probe(nodes, options.aliveTimeoutMs),
    (error) => observer().onOutage?.(error),
  )
  const countFault = (error: unknown) => {
    if (!(error instanceof Problem || error instanceof ClientDisconnected)) observer().onFault?.(faultKind(error))
  }

  async function read<Row>(query: Query<Row>, { origin, onCost, signal: disconnected, traceparent }: ReadOptions = {}) {
    const { pool = 'query' } = query
    const rendered = render(query.statement)
    let isSent = false
    const attempt = async (signal: AbortSignal) => {
      // The pool can be full until after the timeout.
      signal.throwIfAborted()
      isSent = true
      const settings = {
        ...settingsOfReads,
        ...settingsOf(
          query.name,
          pools[pool],
          origin ?? (!isOfRequests || query.everyTenant ? everyTenant : undefined),
        ),
        ...(query.fewRows && fewRowsSettings),
      }
      const send = (more: Readonly<Record<string, string>>) =>
        nodes.read(async ({ transport }, until) => {
          return parseResponse(await transport.send(rendered, { ...settings, ...more }, until, traceparent))
        }, signal)
      return whileReplicasAreStale(send, areInStep, signal)
    }
    const { rows, cost } = await withTimeout(
      pools[pool].timeoutMs,
      async (signal) => {
        await breaker.admit()
        return limiters[pool](origin?.tenantId, () => retryOnClosedConnection(() => attempt(signal), signal))
      },
      disconnected,
    ).catch((error: unknown) => {
      countFault(error)
      // A read that only waited for its pool proves nothing: guesses can fill their pool.
      if (isSent && !(error instanceof ClickHouseError || error instanceof ClientDisconnected)) breaker.suspect()
      throw toProblem(error)
    })
    if (cost) onCost?.(cost)
    return rows.map((row) => query.row.parse(row))
  }

  async function openStream(query: ExportQuery, { origin, signal, traceparent }: ReadOptions = {}): Promise<Readable> {
    const { name, statement, format } = query
    const settings = { ...settingsOfReads, ...settingsOf(name, pools.export, origin), default_format: format }
    const open = async () => {
      await breaker.admit()
      const until = signal ?? new AbortController().signal
      const rendered = render(statement)
      const openWith = (more: Readonly<Record<string, string>>) =>
        nodes.read(({ transport }) => transport.open(rendered, { ...settings, ...more }, until, traceparent), until)
      const openOn = () => whileReplicasAreStale(openWith, areInStep, until)
      return retryOnClosedConnection(openOn, until)
    }
    return openExport(limiters.export, origin?.tenantId, exportWaitMs, open, signal).catch((error: unknown) => {
      countFault(error)
      throw error instanceof Problem ? error : toProblem(error)
    })
  }

  return { read, export: openStream }
}

const limitersOf = (pools: QueryPools, observer: () => DatabaseObserver) =>
  Object.fromEntries(
    Object.entries(pools).map(([name, pool]) => [
      name,
      limitConcurrency(pool, (milliseconds) => observer().onPoolWait?.(name as PoolName, milliseconds)),
    ]),
  ) as Record<PoolName, RunLimited>

/** A rejected statement counts as a response. */
const probe = (nodes: Nodes<ClickHouseNode>, timeoutMs: number) =>
  nodes
    .read(({ select1 }) => select1(timeoutMs), new AbortController().signal)
    .catch((error: unknown) => {
      if (!(error instanceof ClickHouseError)) throw error
    })

/** Row policies of the reader (server/users.xml) read it. */
const everyTenant = { everyTenant: true } as const

const settingsOf = (
  name: string,
  pool: QueryPool,
  origin: QueryOrigin | typeof everyTenant | undefined,
): Record<string, string> => ({
  ...(origin && 'requestId' in origin && { query_id: `${origin.requestId}-${crypto.randomUUID()}` }),
  ...poolSettings(pool),
  log_comment: JSON.stringify({ ...origin, query: name }),
})

/** upstream_unavailable while ClickHouse is unreachable, overloaded or not set up; our own defects unchanged. */
function toProblem(error: unknown): unknown {
  if (isRefusal(error) || error instanceof ClientDisconnected) return error
  return new Problem('upstream_unavailable', undefined, { cause: error })
}
