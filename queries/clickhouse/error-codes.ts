/** @module ClickHouse's error codes (ErrorCodes.cpp) and their consequences for a failed statement. */

import { ClickHouseError } from '@clickhouse/client'
import { TimedOut } from './with-timeout.ts'

export interface ErrorCode {
  readonly name: string
  /** True if some rows of a write may be stored. */
  readonly mayHaveRun: boolean
  /** Another node of the cluster may run the statement. */
  readonly anotherNode: boolean
  /** The statement or its rows are wrong, and would be again. */
  readonly ourFault: boolean
}

type Trait = Exclude<keyof ErrorCode, 'name'>

const table = [
  // A server of the cluster or a Keeper does not respond, ended, or starts.
  ['3', 'UNEXPECTED_END_OF_FILE', 'mayHaveRun', 'anotherNode'],
  ['32', 'ATTEMPT_TO_READ_AFTER_EOF', 'mayHaveRun', 'anotherNode'],
  ['33', 'CANNOT_READ_ALL_DATA', 'mayHaveRun', 'anotherNode'],
  ['95', 'CANNOT_READ_FROM_SOCKET', 'mayHaveRun', 'anotherNode'],
  ['96', 'CANNOT_WRITE_TO_SOCKET', 'mayHaveRun', 'anotherNode'],
  ['100', 'UNKNOWN_PACKET_FROM_SERVER', 'mayHaveRun', 'anotherNode'],
  ['102', 'UNEXPECTED_PACKET_FROM_SERVER', 'mayHaveRun', 'anotherNode'],
  ['156', 'DICTIONARIES_WAS_NOT_LOADED', 'mayHaveRun', 'anotherNode'],
  ['198', 'DNS_ERROR', 'mayHaveRun', 'anotherNode'],
  ['203', 'NO_FREE_CONNECTION', 'mayHaveRun', 'anotherNode'],
  ['209', 'SOCKET_TIMEOUT', 'mayHaveRun', 'anotherNode'],
  ['210', 'NETWORK_ERROR', 'mayHaveRun', 'anotherNode'],
  ['218', 'TABLE_IS_DROPPED', 'mayHaveRun', 'anotherNode'],
  ['225', 'NO_ZOOKEEPER', 'mayHaveRun', 'anotherNode'],
  ['236', 'ABORTED', 'mayHaveRun', 'anotherNode'],
  ['242', 'TABLE_IS_READ_ONLY', 'mayHaveRun', 'anotherNode'],
  ['244', 'UNEXPECTED_ZOOKEEPER_ERROR', 'mayHaveRun', 'anotherNode'],
  ['254', 'NO_ACTIVE_REPLICAS', 'mayHaveRun', 'anotherNode'],
  ['279', 'ALL_CONNECTION_TRIES_FAILED', 'mayHaveRun', 'anotherNode'],
  ['285', 'TOO_FEW_LIVE_REPLICAS', 'mayHaveRun', 'anotherNode'],
  ['289', 'REPLICA_IS_NOT_IN_QUORUM', 'mayHaveRun', 'anotherNode'],
  ['297', 'SHARD_HAS_NO_CONNECTIONS', 'mayHaveRun', 'anotherNode'],
  ['319', 'UNKNOWN_STATUS_OF_INSERT', 'mayHaveRun', 'anotherNode'],
  ['369', 'ALL_REPLICAS_ARE_STALE', 'mayHaveRun', 'anotherNode'],
  ['415', 'ALL_REPLICAS_LOST', 'mayHaveRun', 'anotherNode'],
  ['519', 'NO_REMOTE_SHARD_AVAILABLE', 'mayHaveRun', 'anotherNode'],
  ['571', 'DATABASE_REPLICATION_FAILED', 'mayHaveRun', 'anotherNode'],
  ['695', 'ASYNC_LOAD_FAILED', 'mayHaveRun', 'anotherNode'],
  ['696', 'ASYNC_LOAD_CANCELED', 'mayHaveRun', 'anotherNode'],
  ['722', 'ASYNC_LOAD_WAIT_FAILED', 'mayHaveRun', 'anotherNode'],
  ['733', 'TABLE_IS_BEING_RESTARTED', 'mayHaveRun', 'anotherNode'],
  ['904', 'TOO_MANY_UNAVAILABLE_SHARDS', 'mayHaveRun', 'anotherNode'],
  ['999', 'KEEPER_EXCEPTION', 'mayHaveRun', 'anotherNode'],
  ['1000', 'POCO_EXCEPTION', 'mayHaveRun', 'anotherNode'],

  // The server accepts no more statements now, and did not begin this one.
  ['202', 'TOO_MANY_SIMULTANEOUS_QUERIES', 'anotherNode'],
  ['529', 'NOT_A_LEADER', 'anotherNode'],
  ['745', 'SERVER_OVERLOADED', 'anotherNode'],
  ['749', 'TCP_CONNECTION_LIMIT_REACHED', 'anotherNode'],
  ['762', 'HTTP_CONNECTION_LIMIT_REACHED', 'anotherNode'],

  // Time, memory, disk, replicas or merges do not suffice now.
  ['74', 'CANNOT_READ_FROM_FILE_DESCRIPTOR', 'mayHaveRun'],
  ['75', 'CANNOT_WRITE_TO_FILE_DESCRIPTOR', 'mayHaveRun'],
  ['76', 'CANNOT_OPEN_FILE', 'mayHaveRun'],
  ['77', 'CANNOT_CLOSE_FILE', 'mayHaveRun'],
  ['159', 'TIMEOUT_EXCEEDED', 'mayHaveRun'],
  ['160', 'TOO_SLOW', 'mayHaveRun'],
  ['172', 'CANNOT_CREATE_DIRECTORY', 'mayHaveRun'],
  ['173', 'CANNOT_ALLOCATE_MEMORY', 'mayHaveRun'],
  ['204', 'CANNOT_FSYNC', 'mayHaveRun'],
  ['214', 'CANNOT_STATVFS', 'mayHaveRun'],
  ['216', 'QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING', 'mayHaveRun'],
  ['241', 'MEMORY_LIMIT_EXCEEDED', 'mayHaveRun'],
  ['243', 'NOT_ENOUGH_SPACE', 'mayHaveRun'],
  ['252', 'TOO_MANY_PARTS', 'mayHaveRun'],
  ['286', 'UNSATISFIED_QUORUM_FOR_PREVIOUS_WRITE', 'mayHaveRun'],
  ['294', 'CANNOT_WRITE_TO_FILE', 'mayHaveRun'],
  ['341', 'UNFINISHED', 'mayHaveRun'],
  ['394', 'QUERY_WAS_CANCELLED', 'mayHaveRun'],
  ['439', 'CANNOT_SCHEDULE_TASK', 'mayHaveRun'],
  ['586', 'CANNOT_CREATE_FILE', 'mayHaveRun'],
  ['778', 'MEMORY_RESERVATION_FAILED', 'mayHaveRun'],
  ['1001', 'STD_EXCEPTION', 'mayHaveRun'],
  ['1002', 'UNKNOWN_EXCEPTION', 'mayHaveRun'],

  // A replica that shall be removed is active, for 10 s after its server ended.
  ['305', 'TABLE_WAS_NOT_DROPPED'],

  // The server is not migrated yet, or its users are being changed: a retry within seconds does not help.
  ['60', 'UNKNOWN_TABLE'],
  ['81', 'UNKNOWN_DATABASE'],
  ['194', 'REQUIRED_PASSWORD'],
  ['516', 'AUTHENTICATION_FAILED'],

  // A value does not fit, which a view can find when its table has the rows.
  ['6', 'CANNOT_PARSE_TEXT', 'mayHaveRun', 'ourFault'],
  ['19', 'SIZE_OF_FIXED_STRING_DOESNT_MATCH', 'mayHaveRun', 'ourFault'],
  ['25', 'CANNOT_PARSE_ESCAPE_SEQUENCE', 'mayHaveRun', 'ourFault'],
  ['26', 'CANNOT_PARSE_QUOTED_STRING', 'mayHaveRun', 'ourFault'],
  ['27', 'CANNOT_PARSE_INPUT_ASSERTION_FAILED', 'mayHaveRun', 'ourFault'],
  ['38', 'CANNOT_PARSE_DATE', 'mayHaveRun', 'ourFault'],
  ['41', 'CANNOT_PARSE_DATETIME', 'mayHaveRun', 'ourFault'],
  ['53', 'TYPE_MISMATCH', 'mayHaveRun', 'ourFault'],
  ['69', 'ARGUMENT_OUT_OF_BOUND', 'mayHaveRun', 'ourFault'],
  ['70', 'CANNOT_CONVERT_TYPE', 'mayHaveRun', 'ourFault'],
  ['72', 'CANNOT_PARSE_NUMBER', 'mayHaveRun', 'ourFault'],
  ['117', 'INCORRECT_DATA', 'mayHaveRun', 'ourFault'],
  ['128', 'TOO_LARGE_ARRAY_SIZE', 'mayHaveRun', 'ourFault'],
  ['130', 'CANNOT_READ_ARRAY_FROM_TEXT', 'mayHaveRun', 'ourFault'],
  ['131', 'TOO_LARGE_STRING_SIZE', 'mayHaveRun', 'ourFault'],
  ['153', 'ILLEGAL_DIVISION', 'mayHaveRun', 'ourFault'],
  ['321', 'VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE', 'mayHaveRun', 'ourFault'],
  ['349', 'CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN', 'mayHaveRun', 'ourFault'],
  ['376', 'CANNOT_PARSE_UUID', 'mayHaveRun', 'ourFault'],
  ['395', 'FUNCTION_THROW_IF_VALUE_IS_NON_ZERO', 'mayHaveRun', 'ourFault'],
  ['407', 'DECIMAL_OVERFLOW', 'mayHaveRun', 'ourFault'],
  ['467', 'CANNOT_PARSE_BOOL', 'mayHaveRun', 'ourFault'],
  ['469', 'VIOLATED_CONSTRAINT', 'mayHaveRun', 'ourFault'],
  ['632', 'UNEXPECTED_DATA_AFTER_PARSED_VALUE', 'mayHaveRun', 'ourFault'],
  ['691', 'UNKNOWN_ELEMENT_OF_ENUM', 'mayHaveRun', 'ourFault'],

  // The statement is wrong, not allowed, or beyond a limit.
  ['7', 'INCORRECT_NUMBER_OF_COLUMNS', 'ourFault'],
  ['8', 'THERE_IS_NO_COLUMN', 'ourFault'],
  ['9', 'SIZES_OF_COLUMNS_DOESNT_MATCH', 'ourFault'],
  ['10', 'NOT_FOUND_COLUMN_IN_BLOCK', 'ourFault'],
  ['15', 'DUPLICATE_COLUMN', 'ourFault'],
  ['16', 'NO_SUCH_COLUMN_IN_TABLE', 'ourFault'],
  ['20', 'NUMBER_OF_COLUMNS_DOESNT_MATCH', 'ourFault'],
  ['34', 'TOO_MANY_ARGUMENTS_FOR_FUNCTION', 'ourFault'],
  ['35', 'TOO_FEW_ARGUMENTS_FOR_FUNCTION', 'ourFault'],
  ['36', 'BAD_ARGUMENTS', 'ourFault'],
  ['42', 'NUMBER_OF_ARGUMENTS_DOESNT_MATCH', 'ourFault'],
  ['43', 'ILLEGAL_TYPE_OF_ARGUMENT', 'ourFault'],
  ['44', 'ILLEGAL_COLUMN', 'ourFault'],
  ['46', 'UNKNOWN_FUNCTION', 'ourFault'],
  ['47', 'UNKNOWN_IDENTIFIER', 'ourFault'],
  ['48', 'NOT_IMPLEMENTED', 'ourFault'],
  ['50', 'UNKNOWN_TYPE', 'ourFault'],
  ['62', 'SYNTAX_ERROR', 'ourFault'],
  ['63', 'UNKNOWN_AGGREGATE_FUNCTION', 'ourFault'],
  ['73', 'UNKNOWN_FORMAT', 'ourFault'],
  ['80', 'INCORRECT_QUERY', 'ourFault'],
  ['115', 'UNKNOWN_SETTING', 'ourFault'],
  ['125', 'INCORRECT_RESULT_OF_SCALAR_SUBQUERY', 'ourFault'],
  ['158', 'TOO_MANY_ROWS', 'ourFault'],
  ['162', 'TOO_DEEP_SUBQUERIES', 'ourFault'],
  ['164', 'READONLY', 'ourFault'],
  ['167', 'TOO_DEEP_AST', 'ourFault'],
  ['184', 'ILLEGAL_AGGREGATION', 'ourFault'],
  ['190', 'SIZES_OF_ARRAYS_DONT_MATCH', 'ourFault'],
  ['207', 'AMBIGUOUS_IDENTIFIER', 'ourFault'],
  ['215', 'NOT_AN_AGGREGATE', 'ourFault'],
  ['288', 'DISTRIBUTED_IN_JOIN_SUBQUERY_DENIED', 'ourFault'],
  ['307', 'TOO_MANY_BYTES', 'ourFault'],
  ['386', 'NO_COMMON_TYPE', 'ourFault'],
  ['396', 'TOO_MANY_ROWS_OR_BYTES', 'ourFault'],
  ['452', 'SETTING_CONSTRAINT_VIOLATION', 'ourFault'],
  ['456', 'UNKNOWN_QUERY_PARAMETER', 'ourFault'],
  ['457', 'BAD_QUERY_PARAMETER', 'ourFault'],
  ['471', 'INVALID_SETTING_VALUE', 'ourFault'],
  ['472', 'READONLY_SETTING', 'ourFault'],
  ['497', 'ACCESS_DENIED', 'ourFault'],
  ['507', 'UNABLE_TO_SKIP_UNUSED_SHARDS', 'ourFault'],
] as const satisfies readonly (readonly [code: string, name: string, ...traits: Trait[]])[]

export const errorCodes: ReadonlyMap<string, ErrorCode> = new Map(
  table.map(([code, name, ...rest]) => {
    const traits: readonly Trait[] = rest
    const has = (trait: Trait) => traits.includes(trait)
    return [code, { name, mayHaveRun: has('mayHaveRun'), anotherNode: has('anotherNode'), ourFault: has('ourFault') }]
  }),
)

/** Used for codes that the table lacks. */
const unknown: ErrorCode = { name: 'unknown', mayHaveRun: true, anotherNode: false, ourFault: false }

/** Undefined for an error that is not ClickHouse's. */
const codeOf = (error: unknown): ErrorCode | undefined =>
  errorCodes.get(String((error as { code?: unknown }).code)) ?? (error instanceof ClickHouseError ? unknown : undefined)

/** True for a ClickHouse error with one of these names, and for a `Problem` with such a cause. */
export function isNamed(error: unknown, ...names: (typeof table)[number][1][]): boolean {
  const code = codeOf(error) ?? codeOf((error as Error).cause ?? {})
  return names.some((name) => code?.name === name)
}

/** True if a value in the rows is invalid. */
export const isBadValue = (error: unknown): boolean => isRefusal(error) && codeOf(error)?.mayHaveRun === true

/** True for a statement that ClickHouse rejects, and would reject again. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof ClickHouseError && codeOf(error)?.ourFault === true

/** True if a retry within seconds can succeed. */
export function isTransientCode(error: unknown): boolean {
  const code = codeOf(error)
  return code !== undefined && !code.ourFault && (code.mayHaveRun || code.anotherNode)
}

export const isForAnotherNode = (error: unknown): boolean => codeOf(error)?.anotherNode === true

/** True for a statement that did not begin on its node, and may on another. */
export function hasNotBegun(error: unknown): boolean {
  const code = codeOf(error)
  return code?.anotherNode === true && !code.mayHaveRun
}

/** Kinds of faults in metrics of ClickHouse and Redis: no response, no connection, or an error response. */
export type FaultKind = 'timeout' | 'connection' | 'error'

export function faultKind(error: unknown): FaultKind {
  if (error instanceof TimedOut) return 'timeout'
  const isResponse = error instanceof ClickHouseError || (error instanceof Error && error.name === 'ReplyError')
  return isResponse ? 'error' : 'connection'
}
