import { ClickHouseError } from '@clickhouse/client'

/** Retriable errors by code (ErrorCodes.cpp); they end after seconds, or with the database's setup. */
export const transientErrors: ReadonlyMap<string, 'seconds' | 'setUp'> = new Map([
  ['60', 'setUp'], // UNKNOWN_TABLE: not migrated yet
  ['75', 'seconds'], // CANNOT_WRITE_TO_FILE_DESCRIPTOR: a full disk
  ['81', 'setUp'], // UNKNOWN_DATABASE: not migrated yet
  ['159', 'seconds'], // TIMEOUT_EXCEEDED
  ['172', 'seconds'], // CANNOT_CREATE_DIRECTORY
  ['202', 'seconds'], // TOO_MANY_SIMULTANEOUS_QUERIES
  ['204', 'seconds'], // CANNOT_FSYNC
  ['209', 'seconds'], // SOCKET_TIMEOUT
  ['210', 'seconds'], // NETWORK_ERROR
  ['216', 'seconds'], // QUERY_WITH_SAME_QUERY_ID_IS_ALREADY_RUNNING: an insert that is retried
  ['225', 'seconds'], // NO_ZOOKEEPER
  ['236', 'seconds'], // ABORTED
  ['241', 'seconds'], // MEMORY_LIMIT_EXCEEDED
  ['242', 'seconds'], // TABLE_IS_READ_ONLY
  ['243', 'seconds'], // NOT_ENOUGH_SPACE: a full disk
  ['252', 'seconds'], // TOO_MANY_PARTS: of an insert
  ['279', 'seconds'], // ALL_CONNECTION_TRIES_FAILED: to a shard
  ['285', 'seconds'], // TOO_FEW_LIVE_REPLICAS
  ['286', 'seconds'], // UNSATISFIED_QUORUM_FOR_PREVIOUS_WRITE
  ['289', 'seconds'], // REPLICA_IS_NOT_IN_QUORUM
  ['319', 'seconds'], // UNKNOWN_STATUS_OF_INSERT
  ['394', 'seconds'], // QUERY_WAS_CANCELLED
  ['516', 'setUp'], // AUTHENTICATION_FAILED: being reconfigured
  ['586', 'seconds'], // CANNOT_CREATE_FILE
  ['999', 'seconds'], // KEEPER_EXCEPTION
])

/** True for a statement that ClickHouse refuses, and would again. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof ClickHouseError && !transientErrors.has(error.code)
