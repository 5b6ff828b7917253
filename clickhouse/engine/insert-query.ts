import type { ServerResponse } from 'node:http'
import type { EngineRequest } from './engine-request.ts'
import { engineError } from './errors.ts'
import type { QueryContext } from './handle-query.ts'
import { replyWhole } from './reply.ts'
import { type InsertData, runInsert } from './run-insert.ts'
import { sessionStatements } from './session.ts'

/**
 * Checks, runs and answers an INSERT with data. A client who leaves does not stop it: half an insert helps nobody, and
 * its deduplication token makes the next attempt exact.
 */
export async function insertQuery(
  context: QueryContext,
  request: EngineRequest,
  response: ServerResponse,
  signal: AbortSignal,
  data: InsertData,
): Promise<void> {
  if (request.role !== 'writer') throw engineError('accessDenied', 'reader: Not enough privileges to INSERT')
  if (request.readonly) throw engineError('readonly', 'Cannot INSERT in readonly mode: use POST')
  const started = performance.now()
  const release = await context.slots.take(signal)
  try {
    await context.check(request, data.head, 'INSERT')
    const summary = await context.connections.with(async (connection) => {
      await context.native.QueryAsyncConnection(connection, sessionStatements(request).join('; '), 'TSV')
      return runInsert(context.native, connection, request, data)
    })
    const elapsedSeconds = (performance.now() - started) / 1000
    await replyWhole(response, request, request.format, Buffer.alloc(0), { ...summary, elapsedSeconds })
  } finally {
    release()
  }
}
