import { ClickHouseError } from '@clickhouse/client'

/** Retriable errors by code (ErrorCodes.cpp); they end after seconds, or with the database's setup. */
export const transientErrors: ReadonlyMap<string, 'seconds' | 'setUp'> = new Map([
  ['60', 'setUp'], // UNKNOWN_TABLE: not migrated yet
  ['81', 'setUp'], // UNKNOWN_DATABASE: not migrated yet
  ['159', 'seconds'], // TIMEOUT_EXCEEDED
  ['202', 'seconds'], // TOO_MANY_SIMULTANEOUS_QUERIES
  ['209', 'seconds'], // SOCKET_TIMEOUT
  ['210', 'seconds'], // NETWORK_ERROR
  ['236', 'seconds'], // ABORTED
  ['241', 'seconds'], // MEMORY_LIMIT_EXCEEDED
  ['242', 'seconds'], // TABLE_IS_READ_ONLY
  ['252', 'seconds'], // TOO_MANY_PARTS: of an insert
  ['394', 'seconds'], // QUERY_WAS_CANCELLED
  ['516', 'setUp'], // AUTHENTICATION_FAILED: being reconfigured
])

/** True for a statement that ClickHouse refuses, and would again. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof ClickHouseError && !transientErrors.has(error.code)
