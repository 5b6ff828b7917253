import { LRUCache } from 'lru-cache'
import type { Connections } from './connections.ts'
import type { EngineRequest } from './engine-request.ts'
import { EngineError, engineError, toEngineError } from './errors.ts'
import type { Connection, Native, QueryAnalysis } from './native.ts'
import type { ReaderPolicy } from './reader-policy.ts'
import { sqlString } from './sql-literal.ts'

/** Refuses what a request's role may not run, before it runs. */
export type StatementCheck = (request: EngineRequest, text: string, firstWord: string) => Promise<void>

const [reads, control, unknown] = [0, 3, 4]
const controlWords = new Set(
  'INSERT SYSTEM KILL SET USE CREATE ALTER DROP ATTACH DETACH TRUNCATE OPTIMIZE RENAME EXCHANGE DELETE UPDATE'.split(
    ' ',
  ),
)
const usualLength = 60_000
const rememberedCharacters = 8 * 1024 * 1024

/** Lifts the limit on a query's length for the check alone; the request's own `max_query_size` holds when it runs. */
function anyLength(text: string): string {
  return `SET max_query_size = ${4 * text.length + usualLength}`
}

/** Makes the check. Texts that passed are remembered: the API sends the same few thousand over and over. */
export function createStatementCheck(native: Native, connections: Connections, policy: ReaderPolicy): StatementCheck {
  const passed = new LRUCache<string, true>({
    maxSize: rememberedCharacters,
    maxEntrySize: 256 * 1024,
    sizeCalculation: (_, key) => key.length,
  })

  async function classify(connection: Connection, text: string): Promise<QueryAnalysis> {
    if (text.length > usualLength) await native.QueryAsyncConnection(connection, anyLength(text), 'Null')
    return native.DurableClassifyAsync(connection, text, 'default')
  }

  async function canonical(request: EngineRequest, text: string): Promise<string> {
    const statements = [anyLength(text), `SELECT formatQuery(${sqlString(text)})`]
    try {
      const formatted = await connections.runAs(request.role, 'max_query_size', statements, 'TSVRaw')
      return formatted.bytes.toString('utf8')
    } catch (thrown) {
      const error = toEngineError(thrown)
      throw new EngineError(error.code, error.type, withoutScope(error.message))
    }
  }

  return async (request, text, firstWord) => {
    const key = `${request.role} ${text}`
    if (passed.has(key)) return
    const analysis = await connections.with((connection) => classify(connection, text))
    if (analysis.queryClass === unknown || analysis.statementCount === 0) {
      await canonical(request, text)
      throw engineError('syntaxError', 'Syntax error: expected one statement')
    }
    if (analysis.statementCount > 1) throw engineError('syntaxError', 'Syntax error: Multi-statements are not allowed')
    if (request.role === 'reader') {
      if (analysis.queryClass !== reads) throw engineError('accessDenied', readerMay)
      policy.checkText(await canonical(request, text))
    } else if (analysis.queryClass === control && !controlWords.has(firstWord)) {
      throw engineError('notImplemented', 'INTO OUTFILE and other statements that leave the engine are not allowed')
    }
    passed.set(key, true)
  }
}

const readerMay = 'reader: Not enough privileges. The reader may SELECT, SHOW, DESCRIBE, EXPLAIN and EXISTS.'

/** Without the statement that the check put around the caller's. */
function withoutScope(message: string): string {
  const at = message.indexOf('In scope SELECT formatQuery(')
  return at < 0 ? message : message.slice(0, at).trimEnd().replace(/:$/, '')
}
