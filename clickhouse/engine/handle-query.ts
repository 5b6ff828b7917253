import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Connections } from './connections.ts'
import type { EngineRequest } from './engine-request.ts'
import { engineError } from './errors.ts'
import { insertQuery } from './insert-query.ts'
import type { Native } from './native.ts'
import { readQuery } from './read-query.ts'
import { openBody, type RequestBody } from './request-body.ts'
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
  /** Holds the data of running inserts. */
  incomingDir: string
}

const headBytes = 1024 * 1024
const textBytes = 64 * 1024 * 1024
/** The engine's default `max_query_size`: a longer text would be taken apart at length only to be refused by it. */
const readerTextBytes = 262_144

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
  const url = Buffer.from(request.query === '' ? '' : `${request.query}\n`)
  const head = Buffer.concat([url, await body.take(headBytes)])
  const found = readStatement(head.toString('latin1'))
  if (found.kind === 'insert') {
    const statement = { ...found, target: fromLatin1(found.target), settings: fromLatin1(found.settings) }
    const data = dataOf(head.subarray(found.dataAt), body)
    await insertQuery(context, request, response, signal, statement, data)
    return
  }
  const text = Buffer.concat([head, await body.take(textBytes)])
  const longest = request.role === 'reader' ? readerTextBytes : textBytes
  if (text.length > longest) throw engineError('queryTooLarge', `The query text is longer than ${longest} bytes`)
  const statement = text.length === head.length ? found : readStatement(text.toString('latin1'))
  if (statement.kind === 'insert' || statement.firstWord === '') {
    throw engineError('syntaxError', statement.kind === 'insert' ? 'The head of the INSERT is too long' : 'Empty query')
  }
  await readQuery(context, request, response, signal, { ...statement, text: utf8(text) })
}

async function* dataOf(first: Buffer, body: RequestBody): AsyncGenerator<Buffer> {
  yield first
  yield* body.rest()
}

function fromLatin1(text: string): string {
  return utf8(Buffer.from(text, 'latin1'))
}

function utf8(bytes: Buffer): string {
  const text = bytes.toString('utf8')
  if (text.includes('\ufffd') && !Buffer.from(text).equals(bytes)) {
    throw engineError('badArguments', 'The query text is not UTF-8; pass other bytes as parameters')
  }
  return text
}
