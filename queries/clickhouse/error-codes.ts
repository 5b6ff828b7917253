import { ClickHouseError } from '@clickhouse/client'

/** ClickHouse's error codes (ErrorCodes.cpp), and what each means for the statement that failed. */

type Trait =
  /** Of a write some rows can be stored. */
  | 'mayHaveRun'
  /** Another node of the cluster may run the statement. */
  | 'anotherNode'
  /** The statement or its rows are wrong, and would be again. */
  | 'ourFault'

const table: readonly (readonly [code: string, name: string, ...traits: Trait[]])[] = [
  // A server does not respond, ends or starts, or Keeper does.
  ['209', 'SOCKET_TIMEOUT', 'mayHaveRun'],
  ['210', 'NETWORK_ERROR', 'mayHaveRun'],
  ['225', 'NO_ZOOKEEPER', 'mayHaveRun', 'anotherNode'],
  ['236', 'ABORTED', 'mayHaveRun'],
  ['242', 'TABLE_IS_READ_ONLY', 'mayHaveRun', 'anotherNode'],
  ['279', 'ALL_CONNECTION_TRIES_FAILED', 'mayHaveRun', 'anotherNode'],
  ['285', 'TOO_FEW_LIVE_REPLICAS', 'mayHaveRun', 'anotherNode'],
  ['286', 'UNSATISFIED_QUORUM_FOR_PREVIOUS_WRITE', 'mayHaveRun'],
  ['289', 'REPLICA_IS_NOT_IN_QUORUM', 'mayHaveRun', 'anotherNode'],
  ['319', 'UNKNOWN_STATUS_OF_INSERT', 'mayHaveRun', 'anotherNode'],
  ['999', 'KEEPER_EXCEPTION', 'mayHaveRun', 'anotherNode'],

  // Time, memory, disk or merges do not suffice now.
  ['75', 'CANNOT_WRITE_TO_FILE_DESCRIPTOR', 'mayHaveRun'],
  ['159', 'TIMEOUT_EXCEEDED', 'mayHaveRun'],
  ['172', 'CANNOT_CREATE_DIRECTORY', 'mayHaveRun'],
  ['202', 'TOO_MANY_SIMULTANEOUS_QUERIES', 'mayHaveRun'],
  ['204', 'CANNOT_FSYNC', 'mayHaveRun'],
  ['216', 'QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING', 'mayHaveRun'],
  ['241', 'MEMORY_LIMIT_EXCEEDED', 'mayHaveRun'],
  ['243', 'NOT_ENOUGH_SPACE', 'mayHaveRun'],
  ['252', 'TOO_MANY_PARTS', 'mayHaveRun'],
  ['394', 'QUERY_WAS_CANCELLED', 'mayHaveRun'],
  ['586', 'CANNOT_CREATE_FILE', 'mayHaveRun'],

  // It is not migrated yet, or its users are being changed: nothing ran, and a retry within seconds is of no use.
  ['60', 'UNKNOWN_TABLE'],
  ['81', 'UNKNOWN_DATABASE'],
  ['516', 'AUTHENTICATION_FAILED'],
]

const traits: ReadonlyMap<string, readonly Trait[]> = new Map(table.map(([code, , ...traits]) => [code, traits]))

/** Undefined for an error that is not ClickHouse's. */
const traitsOf = (error: unknown): readonly Trait[] | undefined =>
  traits.get(String((error as { code?: unknown }).code)) ??
  (error instanceof ClickHouseError ? ['ourFault'] : undefined)

/** True for a statement that ClickHouse refuses, and would again. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof ClickHouseError && traitsOf(error)?.includes('ourFault') === true

/** True where a retry within seconds can succeed. */
export const isTransientCode = (error: unknown): boolean => {
  const own = traitsOf(error)
  return own !== undefined && !own.includes('ourFault') && own.length > 0
}

export const isForAnotherNode = (error: unknown): boolean => traitsOf(error)?.includes('anotherNode') === true
