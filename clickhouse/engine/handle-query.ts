import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Connections } from './connections.ts'
import type { EngineRequest } from './engine-request.ts'
import { engineError } from './errors.ts'
import { insertQuery } from './insert-query.ts'
import type { Native } from './native.ts'
import { readQuery } from './read-query.ts'
import { openBody } from './request-body.ts'
import { insertPieceBytes } from './run-insert.ts'
import type { Slots } from './slots.ts'
import { readStatement } from './statement.ts'
import type { StatementCheck } from './statement-check.ts'
import type { StreamWorkers } from './stream-workers.ts'

/** What a request needs of the process. */
export type QueryContext = {
  native: Native
  connections: Connections
  workers: StreamWorkers
  slots: Slots
  check: StatementCheck
}

const headBytes = 1024 * 1024

/**
 * Answers one query request: the URL's `query` and the body make one text, a line end between them. Errors are thrown
 * for the caller to answer.
 */
export async function handleQuery(
  context: QueryContext,
  request: EngineRequest,
  incoming: IncomingMessage,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  const body = openBody(incoming)
  const first = await body.take(insertPieceBytes)
  const text = request.query === '' ? first : Buffer.concat([Buffer.from(`${request.query}\n`), first])
  const statement = readStatement(text.subarray(0, headBytes).toString('latin1'))
  if (statement.kind === 'statement') {
    if (first.length >= insertPieceBytes) throw engineError('queryTooLarge', 'The query text is too long')
    if (statement.firstWord === '') throw engineError('syntaxError', 'Syntax error: Empty query')
    await readQuery(context, request, response, signal, { ...statement, text: utf8(text) })
  } else {
    if (statement.infile) throw engineError('notImplemented', 'INSERT FROM INFILE is not allowed')
    const head = utf8(text.subarray(0, statement.headEnd))
    const data = { head, format: statement.format, first: text.subarray(statement.dataAt), body }
    await insertQuery(context, request, response, signal, data)
  }
}

function utf8(bytes: Buffer): string {
  const text = bytes.toString('utf8')
  if (text.includes('\ufffd') && !Buffer.from(text).equals(bytes)) {
    throw engineError('badArguments', 'The query text is not UTF-8; pass other bytes as parameters')
  }
  return text
}
