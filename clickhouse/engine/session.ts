import { roleStatements } from './access.ts'
import type { Connections } from './connections.ts'
import type { EngineRequest } from './engine-request.ts'
import { engineError } from './errors.ts'
import { sqlIdentifier, sqlString } from './sql-literal.ts'

/** What makes a new connection the request's, before its query. */
export function sessionStatements(request: EngineRequest): string[] {
  return [...roleStatements(request.role), ...requestStatements(request)]
}

/** What runs between role and query: database, settings, parameters, and last the read-only mode. */
export function requestStatements(request: EngineRequest): string[] {
  const changes = request.settings.map(([name, value]) => `${name} = ${sqlString(value)}`)
  for (const [name, value] of request.parameters) {
    if (!/^\w+$/.test(name)) throw engineError('badArguments', `Invalid query parameter name ${JSON.stringify(name)}`)
    changes.push(`param_${name} = ${sqlString(value)}`)
  }
  if (request.readonly || request.role === 'reader') changes.push('readonly = 2')
  const statements: string[] = []
  if (request.database !== 'default') statements.push(`USE ${sqlIdentifier(request.database)}`)
  if (changes.length > 0) statements.push(`SET ${changes.join(', ')}`)
  return statements
}

/** Names of all that `requestStatements` sets: two requests of one shape set the same, whatever the values. */
export function shapeOf({ readonly, database, settings, parameters }: EngineRequest): string {
  return JSON.stringify([readonly, database, settings.map(([name]) => name), parameters.map(([name]) => name)])
}

/**
 * A comment that finds the running query again: chDB ignores a query id. The serial keeps callers who chose the same
 * query id from ending each other's queries.
 */
export function markerOf(request: EngineRequest): string {
  return `/* query_id: ${request.queryId.replace(/[^\w.:-]/g, '_').slice(0, 200)} #${request.serial} */ `
}

/** Runs `work`; while it runs and `signal` is aborted, the request's query is killed again and again until it ends. */
export async function killedOnAbort<T>(
  connections: Connections,
  request: EngineRequest,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  let running = true
  // The query may not have reached the engine's process list yet, so one attempt is not enough.
  const stop = async () => {
    while (running) {
      await connections.kill(markerOf(request)).catch(() => undefined)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  if (signal.aborted) throw engineError('cancelled', 'The client left')
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await work()
  } finally {
    running = false
    signal.removeEventListener('abort', stop)
  }
}
