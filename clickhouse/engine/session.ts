import type { Connections } from './connections.ts'
import type { EngineRequest } from './engine-request.ts'
import { engineError, type EngineError, toEngineError } from './errors.ts'
import type { Connection, Native } from './native.ts'
import { sqlIdentifier, sqlString } from './sql-literal.ts'

/** Everything a request sets before its query: database, settings, parameters, and last the read-only mode. */
export function requestStatements(request: EngineRequest): string {
  const changes = request.settings.map(([name, value]) => `${name} = ${sqlString(value)}`)
  for (const [name, value] of request.parameters) {
    if (!/^\w+$/.test(name)) throw engineError('badArguments', `Invalid query parameter name ${JSON.stringify(name)}`)
    changes.push(`param_${name} = ${sqlString(value)}`)
  }
  if (request.readonly || request.role === 'reader') changes.push('readonly = 2')
  const statements = request.database === 'default' ? [] : [`USE ${sqlIdentifier(request.database)}`]
  if (changes.length > 0) statements.push(`SET ${changes.join(', ')}`)
  return statements.join('; ')
}

/** A comment that finds the running query again: chDB ignores a query id. */
export function markerOf(request: EngineRequest): string {
  return `/* query_id: ${request.queryId.replace(/[^\w.:-]/g, '_').slice(0, 200)} */ `
}

/**
 * Runs `work` on a fresh connection prepared for the request; a caller who leaves gets the query killed. The
 * connection ends with the request, whatever happened on it.
 */
export async function onConnection<T>(
  native: Native,
  connections: Connections,
  request: EngineRequest,
  signal: AbortSignal | undefined,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = await connections.take(request.role)
  let running = true
  const stop = () => void killUntilDone(connections, markerOf(request), () => running)
  try {
    const setup = requestStatements(request)
    if (setup !== '') await native.QueryAsyncConnection(connection, setup, 'TSV')
    if (signal?.aborted) throw engineError('cancelled', 'The client left')
    signal?.addEventListener('abort', stop, { once: true })
    return await work(connection)
  } catch (error) {
    throw withoutMarker(toEngineError(error), markerOf(request))
  } finally {
    running = false
    signal?.removeEventListener('abort', stop)
    connections.drop(connection)
  }
}

async function killUntilDone(connections: Connections, marker: string, running: () => boolean): Promise<void> {
  while (running()) {
    await connections.kill(marker).catch(() => undefined)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

function withoutMarker(error: EngineError, marker: string): EngineError {
  error.message = error.message.replaceAll(marker, '')
  return error
}
