import type { EngineRequest } from './engine-request.ts'
import { engineError } from './errors.ts'
import type { Connection, Native, QueryResult } from './native.ts'
import { markerOf } from './session.ts'
import { sqlString } from './sql-literal.ts'

const control = 3
const unknown = 4
const controlWords = new Set(
  'INSERT SYSTEM KILL SET USE CREATE ALTER DROP ATTACH DETACH TRUNCATE OPTIMIZE RENAME EXCHANGE DELETE UPDATE'.split(' '),
)

/** Refuses, by the engine's own parse, more than one statement and what the role may not do at all. */
export async function checkStatement(
  native: Native,
  connection: Connection,
  request: EngineRequest,
  text: string,
  firstWord: string,
): Promise<void> {
  const analysis = await native.DurableClassifyAsync(connection, text, request.database)
  if (analysis.queryClass === unknown || analysis.statementCount === 0) {
    await native.QueryAsyncConnection(connection, `SELECT formatQuery(${sqlString(text)}) FORMAT Null`, 'Null')
    throw engineError('syntaxError', 'Syntax error: expected one statement')
  }
  if (analysis.statementCount > 1) throw engineError('syntaxError', 'Syntax error: Multi-statements are not allowed')
  if (analysis.queryClass === 0) return
  if (request.role === 'reader') {
    throw engineError('accessDenied', 'reader: Not enough privileges. The reader may only SELECT, SHOW, DESCRIBE, EXPLAIN and EXISTS.')
  }
  if (analysis.queryClass === control && !controlWords.has(firstWord)) {
    throw engineError('notImplemented', 'INTO OUTFILE and other statements that leave the engine are not allowed')
  }
}

/** Runs a statement and keeps its whole answer in memory. */
export function runWhole(
  native: Native,
  connection: Connection,
  request: EngineRequest,
  text: string,
  format: string,
): Promise<QueryResult> {
  return native.QueryAsyncConnection(connection, markerOf(request) + text, format)
}
