import type { Readable } from 'node:stream'
import type { ClickHouseSettings } from '@clickhouse/client'
import type { ExportQuery, PoolName, Query } from '../sql/query.ts'
import type { OnOutage } from './circuit-breaker.ts'
import type { FaultKind } from './error-codes.ts'
import type { QueryCost } from './parse-response.ts'

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
  /** ClickHouse rejects a statement while another with its id runs. */
  readonly queryId?: string
}

/** Called by reads and exports. */
export interface DatabaseObserver {
  readonly onOutage?: OnOutage
  readonly onPoolWait?: (pool: PoolName, milliseconds: number) => void
  readonly onFault?: (kind: FaultKind) => void
}

/** One ClickHouse as one of its users; except for `read`, methods throw ClickHouse's own errors. */
export interface Database {
  /** Throws Problem(upstream_unavailable), ClientDisconnected, or another error for our own defects. */
  read<Row>(query: Query<Row>, options?: ReadOptions): Promise<Row[]>
  /**
   * A result's bytes as they arrive. The stream fails if ClickHouse does, and frees its slot in the pool when it is
   * closed. Throws like `read`, and upstream_unavailable if no slot is free in time.
   */
  export(query: ExportQuery, options?: Omit<ReadOptions, 'onCost'>): Promise<Readable>
  command(statement: string, options?: StatementOptions): Promise<void>
  /** Rows in the statement's format. */
  insert(statement: string, rows: Readable | Buffer, options?: Omit<StatementOptions, 'params'>): Promise<void>
  /** The result's bytes, in the given format if the statement has none. */
  stream(statement: string, format: string, options?: StatementOptions): Promise<AsyncIterable<Buffer>>
  /**
   * Resolves when no statement with the id runs; true if one did. Rejects if ClickHouse does not respond; unresponsive
   * nodes of a cluster are skipped.
   */
  killQuery(queryId: string, signal: AbortSignal): Promise<boolean>
  /** Whether ClickHouse responds in time. */
  ping(): Promise<boolean>
  /** Replaces the observer of reads. */
  observe(observer: DatabaseObserver): void
  close(): Promise<void>
}
