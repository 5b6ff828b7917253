import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Connections } from './connections.ts'
import { type EngineRequest, readEngineRequest } from './engine-request.ts'
import { engineError } from './errors.ts'
import type { Native, QueryResult } from './native.ts'
import { type RequestBody, openBody } from './request-body.ts'
import { replyWhole } from './reply.ts'
import { insertPieceBytes, runInsert } from './run-insert.ts'
import { checkStatement, runWhole } from './run-statement.ts'
import { onConnection } from './session.ts'
import type { Slots } from './slots.ts'
import { readStatement } from './statement.ts'

/** What a request needs of the process. */
export type QueryContext = { native: Native; connections: Connections; slots: Slots; writerPassword: string }

const headBytes = 1024 * 1024

/** Answers one query request. Errors are thrown for the caller to answer. */
export async function handleQuery(
  context: QueryContext,
  request: EngineRequest,
  incoming: IncomingMessage,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  const body = openBody(incoming)
  const alone = request.query === '' ? undefined : readStatement(request.query)
  const first = await body.take(insertPieceBytes)
  const text = alone ? Buffer.concat([Buffer.from(request.query), Buffer.from(first.length > 0 ? '\n' : ''), first]) : first
  const statement = alone?.kind === 'insert' ? alone : readStatement(headText(text))
  if (statement.kind === 'insert') {
    const [head, data] =
      alone?.kind === 'insert'
        ? insertInUrl(request.query, alone, first)
        : [text.subarray(0, statement.headEnd).toString('utf8'), text.subarray(statement.dataAt)]
    if (statement.reads === 'infile') throw engineError('notImplemented', 'INSERT FROM INFILE is not allowed')
    return insert(context, request, response, signal, { head, format: statement.format, first: data, body })
  }
  if (first.length >= insertPieceBytes) throw engineError('queryTooLarge', 'The query text is too long')
  await read(context, request, response, signal, utf8(text), statement.firstWord, statement.format)
}

function insertInUrl(
  query: string,
  statement: { headEnd: number; dataAt: number },
  body: Buffer,
): [string, Buffer] {
  const inline = Buffer.from(query.slice(statement.dataAt))
  const data = inline.length === 0 ? body : Buffer.concat([inline, Buffer.from('\n'), body])
  return [query.slice(0, statement.headEnd), data]
}

async function insert(
  context: QueryContext,
  request: EngineRequest,
  response: ServerResponse,
  signal: AbortSignal,
  data: { head: string; format: string; first: Buffer; body: RequestBody },
): Promise<void> {
  if (request.role !== 'writer') throw engineError('accessDenied', 'reader: Not enough privileges to INSERT')
  if (request.readonly) throw engineError('readonly', 'Cannot execute query in readonly mode. GET may not write, use POST')
  const started = performance.now()
  const release = await context.slots.take(signal)
  try {
    const summary = await onConnection(context.native, context.connections, request, undefined, async (connection) => {
      await checkStatement(context.native, connection, request, data.head, 'INSERT')
      return runInsert(context.native, connection, request, data)
    })
    const elapsedSeconds = (performance.now() - started) / 1000
    await replyWhole(response, request, request.format, Buffer.alloc(0), { ...summary, elapsedSeconds })
  } finally {
    release()
  }
}

async function read(
  context: QueryContext,
  request: EngineRequest,
  response: ServerResponse,
  signal: AbortSignal,
  text: string,
  firstWord: string,
  named: string | undefined,
): Promise<void> {
  if (firstWord === '') throw engineError('syntaxError', 'Syntax error: Empty query')
  const format = named ?? request.format
  const release = await context.slots.take(signal)
  try {
    const result = await onConnection(context.native, context.connections, request, signal, async (connection) => {
      await checkStatement(context.native, connection, request, text, firstWord)
      return runWhole(context.native, connection, request, text, request.format)
    })
    await replyWhole(response, request, format, result.bytes, {
      ...readCounters(result),
      resultRows: result.rowsRead,
      resultBytes: result.bytesRead,
      elapsedSeconds: result.elapsed,
    })
  } finally {
    release()
  }
}

/** Rows read from storage are known only from the statistics that the JSON formats end with. */
function readCounters(result: QueryResult): { readRows: number; readBytes: number } {
  const tail = result.bytes.subarray(-200).toString('latin1')
  const found = /"rows_read":\s*(\d+),\s*"bytes_read":\s*(\d+)\s*\}\s*\}\s*$/.exec(tail)
  return { readRows: Number(found?.[1] ?? result.rowsRead), readBytes: Number(found?.[2] ?? result.bytesRead) }
}

function headText(text: Buffer): string {
  return text.subarray(0, headBytes).toString('latin1')
}

function utf8(bytes: Buffer): string {
  const text = bytes.toString('utf8')
  if (text.includes('\ufffd') && !Buffer.from(text).equals(bytes)) {
    throw engineError('badArguments', 'The query text is not UTF-8; pass other bytes as parameters')
  }
  return text
}
