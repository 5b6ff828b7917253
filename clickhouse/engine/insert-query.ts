import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { unlink } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { EngineRequest } from './engine-request.ts'
import { engineError } from './errors.ts'
import type { QueryContext } from './handle-query.ts'
import { replyWhole } from './reply.ts'
import { markerOf, sessionStatements } from './session.ts'
import { sqlString } from './sql-literal.ts'
import type { InsertStatement } from './statement.ts'

/**
 * Checks, runs and answers an INSERT with data. The data go through a file: chDB ends inline data at an empty line and
 * runs what follows as SQL, and a file of any length is one native insert with flat memory.
 *
 * A client who leaves after sending everything does not stop it: half an insert helps nobody, and its deduplication
 * token makes the next attempt exact.
 */
export async function insertQuery(
  context: QueryContext,
  request: EngineRequest,
  response: ServerResponse,
  signal: AbortSignal,
  statement: InsertStatement,
  data: AsyncIterable<Buffer>,
): Promise<void> {
  if (request.role !== 'writer') throw engineError('accessDenied', 'reader: Not enough privileges to INSERT')
  if (request.readonly) throw engineError('readonly', 'Cannot INSERT in readonly mode: use POST')
  const started = performance.now()
  await context.check(request, `${statement.target} ${statement.settings} FORMAT ${statement.format}`, 'INSERT')
  const path = join(context.incomingDir, randomUUID())
  try {
    await pipeline(data, createWriteStream(path, { flags: 'wx', mode: 0o600 }))
    const release = await context.slots.take(signal)
    try {
      const summary = await insertFile(context, request, statement, path)
      await replyWhole(response, request, request.format, Buffer.alloc(0), {
        ...summary,
        elapsedSeconds: (performance.now() - started) / 1000,
      })
    } finally {
      release()
    }
  } catch (error) {
    if (error instanceof Error) error.message = error.message.replaceAll(` (in file/uri ${path}):`, '')
    throw error
  } finally {
    await unlink(path).catch(() => undefined)
  }
}

/** The written counters include what materialized views wrote. */
function insertFile(
  context: QueryContext,
  request: EngineRequest,
  { target, settings, format }: InsertStatement,
  path: string,
): Promise<{ writtenRows: number; writtenBytes: number }> {
  return runInsert(context, request, `${target} FROM INFILE ${sqlString(path)} ${settings} FORMAT ${format}`)
}

/** Runs an INSERT that finds its data by itself and counts what it wrote. */
export function runInsert(
  { native, connections }: QueryContext,
  request: EngineRequest,
  text: string,
): Promise<{ writtenRows: number; writtenBytes: number }> {
  return connections.with(async (connection) => {
    await native.QueryAsyncConnection(connection, sessionStatements(request).join(';\n'), 'TSV')
    const whole = markerOf(request) + text
    const written = await native.InsertRawAsyncConnection(connection, whole, Buffer.alloc(0), false)
    return { writtenRows: written.rowsWritten, writtenBytes: written.bytesWritten }
  })
}
