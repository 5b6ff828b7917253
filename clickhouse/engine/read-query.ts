import type { ServerResponse } from 'node:http'
import type { EngineRequest } from './engine-request.ts'
import { standsInPieces } from './formats.ts'
import type { QueryContext } from './handle-query.ts'
import { runInsert } from './insert-query.ts'
import { replyWhole } from './reply.ts'
import { replyStream } from './reply-stream.ts'
import { killedOnAbort, markerOf, requestStatements, sessionStatements, shapeOf } from './session.ts'

/** A statement without data of its own. `format` is the one it names, if it does. */
export type Query = { text: string; firstWord: string; format: string | undefined }

/** Checks, runs and answers a statement within one place of the bounded number of running queries. */
export async function readQuery(
  context: QueryContext,
  request: EngineRequest,
  response: ServerResponse,
  signal: AbortSignal,
  query: Query,
): Promise<void> {
  const release = await context.slots.take(signal)
  try {
    await context.check(request, query.text, query.firstWord)
    const format = query.format ?? request.format
    await killedOnAbort(context.connections, request, signal, () => {
      if (query.firstWord === 'INSERT') return answerInsert(context, request, response, query.text)
      const answer = standsInPieces(format) && returnsRows.has(query.firstWord) ? answerPieces : answerWhole
      return answer(context, request, response, query.text, format)
    })
  } finally {
    release()
  }
}

const returnsRows = new Set(['SELECT', 'WITH', 'FROM', '('])

async function answerWhole(
  context: QueryContext,
  request: EngineRequest,
  response: ServerResponse,
  text: string,
  format: string,
): Promise<void> {
  const statements = [...requestStatements(request), markerOf(request) + text]
  const result = await context.connections.runAs(request.role, shapeOf(request), statements, request.format)
  await replyWhole(response, request, format, result.bytes, {
    ...storageCounters(result.bytes),
    resultRows: result.rowsRead,
    resultBytes: result.bytesRead,
    elapsedSeconds: result.elapsed,
  })
}

async function answerInsert(
  context: QueryContext,
  request: EngineRequest,
  response: ServerResponse,
  text: string,
): Promise<void> {
  const started = performance.now()
  const written = await runInsert(context, request, text)
  const summary = { ...written, elapsedSeconds: (performance.now() - started) / 1000 }
  await replyWhole(response, request, request.format, Buffer.alloc(0), summary)
}

async function answerPieces(
  context: QueryContext,
  request: EngineRequest,
  response: ServerResponse,
  text: string,
  format: string,
): Promise<void> {
  const pieces = context.workers.run(sessionStatements(request), markerOf(request) + text, request.format)
  await replyStream(response, request, format, pieces)
}

/** Rows read from storage are known only from the statistics that the JSON document formats end with. */
function storageCounters(body: Buffer): { readRows?: number; readBytes?: number } {
  const tail = body.subarray(-200).toString('latin1')
  const found = /"rows_read":\s*(\d+),\s*"bytes_read":\s*(\d+)\s*\}\s*\}\s*$/.exec(tail)
  return found ? { readRows: Number(found[1]), readBytes: Number(found[2]) } : {}
}
