import { ClickHouseError } from '@clickhouse/client'
import { Problem } from '../../schema/problems.ts'
import type { PoolName } from '../sql/query.ts'
import { render } from '../sql/sql.ts'
import { createCircuitBreaker } from './circuit-breaker.ts'
import { clusterReads, clusterWrites, quorumOf } from './cluster-settings.ts'
import { limitConcurrency, type RunLimited } from './concurrency-limiter.ts'
import type { Database, DatabaseObserver, QueryOrigin } from './database.ts'
import { faultKind } from './fault-kind.ts'
import { createNodes, nodeUrls } from './nodes.ts'
import { openExport } from './open-export.ts'
import { openNode } from './open-node.ts'
import { parseResponse } from './parse-response.ts'
import { fewRowsSettings, poolSettings, type QueryPool, type QueryPools, queryPools } from './query-pools.ts'
import { killOn, statementsOn } from './statements.ts'
import { isRefusal } from './transient-errors.ts'
import { ClientDisconnected, retryOnClosedConnection, withTimeout } from './with-timeout.ts'

const readSettings = {
  default_format: 'JSONCompact',
  date_time_output_format: 'iso',
  output_format_json_quote_64bit_integers: '0',
  output_format_json_escape_forward_slashes: '0',
  // Its two threads a statement take half the time of a lookup, a tenth of other small results'.
  output_format_parallel_formatting: '0',
  // Before 25.11 a response with the exception in its body ends as if it were complete.
  http_write_exception_in_output_format: '0',
}

export interface ConnectOptions {
  /** Whether the URL is of a cluster; true by default where it has several hosts. */
  readonly isCluster?: boolean
  /** Replicas that have an insert when it returns. */
  readonly quorum?: number
  readonly pools?: QueryPools
  /** Of a sign of life, so that reads fail within a second while ClickHouse is frozen. */
  readonly aliveTimeoutMs?: number
  readonly pingTimeoutMs?: number
  /** Wait of an export for a place in its pool. */
  readonly exportWaitMs?: number
}

/** @param url `http(s)://user:password@host:port/database`; of a cluster, its nodes as hosts separated by commas. */
export function connect(url: string, { quorum, ...options }: ConnectOptions = {}): Database {
  const urls = nodeUrls(url)
  const { isCluster = urls.length > 1, pools = queryPools } = options
  const { aliveTimeoutMs = 800, pingTimeoutMs = 2_000, exportWaitMs = 10_000 } = options
  const settings = { ...(isCluster && { ...clusterReads, ...clusterWrites }), ...(quorum && quorumOf(quorum)) }
  const connections = urls.map((url) => openNode(url, settings))
  const nodes = createNodes(connections, ({ ping }) => ping(aliveTimeoutMs))
  const settingsOfRead = isCluster ? { ...readSettings, ...clusterReads } : readSettings
  let observer: DatabaseObserver = {}
  const limiters = Object.fromEntries(
    Object.entries(pools).map(([name, pool]) => [
      name,
      limitConcurrency(pool, (milliseconds) => observer.onPoolWait?.(name as PoolName, milliseconds)),
    ]),
  ) as Record<PoolName, RunLimited>
  const probe = () =>
    nodes
      .read(({ select1 }) => select1(aliveTimeoutMs), new AbortController().signal)
      .catch((error: unknown) => {
        // A refused statement is a response.
        if (!(error instanceof ClickHouseError)) throw error
      })
  const breaker = createCircuitBreaker(probe, (error) => observer.onOutage?.(error))
  const countFault = (error: unknown) => {
    if (!(error instanceof Problem || error instanceof ClientDisconnected)) observer.onFault?.(faultKind(error))
  }

  return {
    async read(query, { origin, onCost, signal: disconnected, traceparent } = {}) {
      const { pool = 'query' } = query
      const rendered = render(query.statement)
      let isSent = false
      const attempt = async (signal: AbortSignal) => {
        // The pool can be full until after the timeout.
        signal.throwIfAborted()
        isSent = true
        const settings = {
          ...settingsOfRead,
          ...settingsOf(query.name, pools[pool], origin),
          ...(query.fewRows && fewRowsSettings),
        }
        return nodes.read(
          async ({ transport }, until) => parseResponse(await transport.send(rendered, settings, until, traceparent)),
          signal,
        )
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
        // A read that waited for its pool alone suspects nothing: guesses can fill theirs.
        if (isSent && !(error instanceof ClickHouseError || error instanceof ClientDisconnected)) breaker.suspect()
        throw toProblem(error)
      })
      if (cost) onCost?.(cost)
      return rows.map((row) => query.row.parse(row))
    },
    async export({ name, statement, format }, { origin, signal, traceparent } = {}) {
      const settings = { ...settingsOfRead, ...settingsOf(name, pools.export, origin), default_format: format }
      const open = async () => {
        await breaker.admit()
        const until = signal ?? new AbortController().signal
        const rendered = render(statement)
        const openOn = () =>
          nodes.read(({ transport }) => transport.open(rendered, settings, until, traceparent), until)
        return retryOnClosedConnection(openOn, until)
      }
      return openExport(limiters.export, origin?.tenantId, exportWaitMs, open, signal).catch((error: unknown) => {
        countFault(error)
        throw error instanceof Problem ? error : toProblem(error)
      })
    },
    ...statementsOn(nodes),
    killQuery: killOn(connections, aliveTimeoutMs),
    async ping() {
      const responses = await Promise.all(connections.map(({ ping }) => ping(pingTimeoutMs)))
      return responses.some(Boolean)
    },
    observe(replacement) {
      observer = replacement
    },
    async close() {
      observer = {}
      await Promise.all(connections.map(({ close }) => close()))
    },
  }
}

const settingsOf = (name: string, pool: QueryPool, origin: QueryOrigin | undefined): Record<string, string> => ({
  ...(origin && { query_id: `${origin.requestId}-${crypto.randomUUID()}` }),
  ...poolSettings(pool),
  log_comment: JSON.stringify({ ...origin, query: name }),
})

/** upstream_unavailable while ClickHouse is unreachable, overloaded or not set up; a defect of ours as it is. */
function toProblem(error: unknown): unknown {
  if (isRefusal(error) || error instanceof ClientDisconnected) return error
  return new Problem('upstream_unavailable', undefined, { cause: error })
}
