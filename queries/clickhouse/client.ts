import { Readable } from 'node:stream'
import { ClickHouseError, type ClickHouseSettings, createClient, EXCEPTION_TAG_HEADER_NAME } from '@clickhouse/client'
import { Problem } from '../../schema/problems.ts'
import type { ExportQuery, PoolName, Query } from '../sql/query.ts'
import { render } from '../sql/sql.ts'
import { createCircuitBreaker, type OnOutage } from './circuit-breaker.ts'
import { limitConcurrency, type RunLimited } from './concurrency-limiter.ts'
import { withoutExceptionTrailer } from './exception-trailer.ts'
import { type FaultKind, faultKind } from './fault-kind.ts'
import { application, keepAliveMs, openHttpTransport } from './http-transport.ts'
import { openExport } from './open-export.ts'
import { parseResponse, type QueryCost } from './parse-response.ts'
import { fewRowsSettings, poolSettings, queryPools } from './query-pools.ts'
import { isRefusal } from './transient-errors.ts'
import { ClientDisconnected, retryOnClosedConnection, withTimeout } from './with-timeout.ts'

export interface QueryOrigin {
  readonly endpoint: string
  readonly tenantId: string
  readonly requestId: string
}

export interface ReadOptions {
  readonly origin?: QueryOrigin
  readonly onCost?: (cost: QueryCost) => void
  /** Aborted when the client disconnects; ClickHouse then stops. */
  readonly signal?: AbortSignal | undefined
  /** Header of the trace that ClickHouse's spans continue (W3C Trace Context). */
  readonly traceparent?: string | undefined
}

/** Values of a statement's `{name:Type}` parameters, its settings, and a signal that ends its request. */
export interface StatementOptions {
  readonly params?: Record<string, unknown>
  readonly settings?: ClickHouseSettings
  readonly signal?: AbortSignal | undefined
}

/** Called by reads and exports. */
export interface DatabaseObserver {
  readonly onOutage?: OnOutage
  readonly onPoolWait?: (pool: PoolName, milliseconds: number) => void
  readonly onFault?: (kind: FaultKind) => void
}

/** One ClickHouse as one of its users; but for `read`, methods throw ClickHouse's own errors. */
export interface Database {
  /** Throws Problem(upstream_unavailable), ClientDisconnected, or another error for a defect of ours. */
  read<Row>(query: Query<Row>, options?: ReadOptions): Promise<Row[]>
  /**
   * A result's bytes as they arrive. The stream fails where ClickHouse does, and frees its place in the pool when it is
   * closed. Throws as `read`, and upstream_unavailable where no place is free within 10 s.
   */
  export(query: ExportQuery, options?: Omit<ReadOptions, 'onCost'>): Promise<Readable>
  command(statement: string, options?: StatementOptions): Promise<void>
  /** Rows in the statement's format. */
  insert(statement: string, rows: Readable | Buffer, options?: Omit<StatementOptions, 'params'>): Promise<void>
  /** The result's bytes, in the given format where the statement names none. */
  stream(statement: string, format: string, options?: StatementOptions): Promise<AsyncIterable<Buffer>>
  /** Whether ClickHouse responds within two seconds. */
  ping(): Promise<boolean>
  /** Replaces the observer of reads. */
  observe(observer: DatabaseObserver): void
  close(): Promise<void>
}

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

/** Of the breaker's probe, so that reads fail within a second while ClickHouse is frozen. */
const probeTimeoutMs = 800

/** @param url `http(s)://user:password@host:port/database`. */
export function connect(url: string): Database {
  const client = createClient({
    url,
    application,
    request_timeout: 10 * 60_000,
    keep_alive: { enabled: true, idle_socket_ttl: keepAliveMs },
    log: { level: 127 },
  })
  const transport = openHttpTransport(url)
  let observer: DatabaseObserver = {}
  const limiters = Object.fromEntries(
    Object.entries(queryPools).map(([name, pool]) => [
      name,
      limitConcurrency(pool, (milliseconds) => observer.onPoolWait?.(name as PoolName, milliseconds)),
    ]),
  ) as Record<PoolName, RunLimited>
  const select1 = (timeoutMs: number) =>
    withTimeout(timeoutMs, (signal) => transport.send({ text: 'SELECT 1', params: {} }, {}, signal))
  const probe = () =>
    select1(probeTimeoutMs).catch((error: unknown) => {
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
      const attempt = async (signal: AbortSignal) => {
        // The pool can be full until after the timeout.
        signal.throwIfAborted()
        const settings = { ...settingsOf(query.name, pool, origin), ...(query.fewRows && fewRowsSettings) }
        return parseResponse(await transport.send(rendered, settings, signal, traceparent))
      }
      const { rows, cost } = await withTimeout(
        queryPools[pool].timeoutMs,
        async (signal) => {
          await breaker.admit()
          return limiters[pool](origin?.tenantId, () => retryOnClosedConnection(() => attempt(signal), signal))
        },
        disconnected,
      ).catch((error: unknown) => {
        countFault(error)
        if (!(error instanceof ClickHouseError || error instanceof ClientDisconnected)) breaker.suspect()
        throw toProblem(error)
      })
      if (cost) onCost?.(cost)
      return rows.map((row) => query.row.parse(row))
    },
    async export({ name, statement, format }, { origin, signal, traceparent } = {}) {
      const settings = { ...settingsOf(name, 'export', origin), default_format: format }
      const open = async () => {
        await breaker.admit()
        const until = signal ?? new AbortController().signal
        return retryOnClosedConnection(() => transport.open(render(statement), settings, until, traceparent), until)
      }
      return openExport(limiters.export, origin?.tenantId, open, signal).catch((error: unknown) => {
        countFault(error)
        throw error instanceof Problem ? error : toProblem(error)
      })
    },
    async command(statement, { params, settings, signal } = {}) {
      await client.command({
        query: statement,
        ...(params && { query_params: params }),
        ...(settings && { clickhouse_settings: settings }),
        ...(signal && { abort_signal: signal }),
      })
    },
    async insert(statement, rows, { settings, signal } = {}) {
      const { stream } = await client.exec({
        query: statement,
        values: Buffer.isBuffer(rows) ? Readable.from([rows], { objectMode: false }) : rows,
        ...(settings && { clickhouse_settings: settings }),
        ...(signal && { abort_signal: signal }),
      })
      for await (const _ of stream);
    },
    async stream(statement, format, { params, settings } = {}) {
      const { stream, response_headers } = await client.exec({
        query: statement,
        ...(params && { query_params: params }),
        clickhouse_settings: { ...settings, default_format: format } as ClickHouseSettings,
      })
      const tag = response_headers[EXCEPTION_TAG_HEADER_NAME]?.toString()
      return withoutExceptionTrailer(stream, tag)
    },
    async ping() {
      return select1(2_000).then(
        () => true,
        () => false,
      )
    },
    observe(replacement) {
      observer = replacement
    },
    async close() {
      observer = {}
      await Promise.all([transport.close(), client.close()])
    },
  }
}

const settingsOf = (name: string, pool: PoolName, origin: QueryOrigin | undefined): Record<string, string> => ({
  ...readSettings,
  ...(origin && { query_id: `${origin.requestId}-${crypto.randomUUID()}` }),
  ...poolSettings(pool),
  log_comment: JSON.stringify({ ...origin, query: name }),
})

/** upstream_unavailable while ClickHouse is unreachable, overloaded or not set up; a defect of ours as it is. */
function toProblem(error: unknown): unknown {
  if (isRefusal(error) || error instanceof ClientDisconnected) return error
  return new Problem('upstream_unavailable', undefined, { cause: error })
}
