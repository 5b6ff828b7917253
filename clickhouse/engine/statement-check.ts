import { LRUCache } from 'lru-cache'
import type { Connections } from './connections.ts'
import type { EngineRequest } from './engine-request.ts'
import { engineError } from './errors.ts'
import type { Connection, Native } from './native.ts'
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
const rememberedCharacters = 8 * 1024 * 1024

/** Makes the check. Texts that passed are remembered: the API sends the same few thousand over and over. */
export function createStatementCheck(native: Native, connections: Connections, policy: ReaderPolicy): StatementCheck {
  const passed = new LRUCache<string, true>({
    maxSize: rememberedCharacters,
    maxEntrySize: 256 * 1024,
    sizeCalculation: (_, key) => key.length,
  })

  async function canonical(connection: Connection, text: string): Promise<string> {
    const formatted = await native.QueryAsyncConnection(connection, `SELECT formatQuery(${sqlString(text)})`, 'TSVRaw')
    return formatted.bytes.toString('utf8')
  }

  async function check(connection: Connection, request: EngineRequest, text: string, firstWord: string): Promise<void> {
    const analysis = await native.DurableClassifyAsync(connection, text, 'default')
    if (analysis.queryClass === unknown || analysis.statementCount === 0) {
      await canonical(connection, text)
      throw engineError('syntaxError', 'Syntax error: expected one statement')
    }
    if (analysis.statementCount > 1) throw engineError('syntaxError', 'Syntax error: Multi-statements are not allowed')
    if (request.role === 'reader') {
      if (analysis.queryClass !== reads) throw engineError('accessDenied', readerMay)
      policy.checkText(await canonical(connection, text))
    } else if (analysis.queryClass === control && !controlWords.has(firstWord)) {
      throw engineError('notImplemented', 'INTO OUTFILE and other statements that leave the engine are not allowed')
    }
  }

  return async (request, text, firstWord) => {
    const key = `${request.role} ${text}`
    if (passed.has(key)) return
    const connection = await connections.take(request.role)
    try {
      await check(connection, request, text, firstWord)
    } finally {
      connections.drop(connection)
    }
    passed.set(key, true)
  }
}

const readerMay = 'reader: Not enough privileges. The reader may SELECT, SHOW, DESCRIBE, EXPLAIN and EXISTS.'
