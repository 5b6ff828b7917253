import { setMaxListeners } from 'node:events'
import type { Context, MiddlewareHandler } from 'hono'
import type { Logger } from 'pino'
import type { Database } from '../../queries/clickhouse/database.ts'
import type { QueryCost } from '../../queries/clickhouse/parse-response.ts'
import { withLiterals } from '../../queries/sql/literal-sql.ts'
import { type Query, type Read, type Reader, toReader } from '../../queries/sql/query.ts'
import type { Endpoint } from './endpoint.ts'
import type { ApiEnv } from './request-context.ts'

export function startOperation({ name, path }: Endpoint, database: Database, log: Logger): MiddlewareHandler<ApiEnv> {
  return function startOperation(c, next) {
    const request = c.get('request')
    request.operation = name
    request.route = path
    const onCost = ({ rowsRead, bytesRead, elapsedMs }: QueryCost) => {
      request.rowsRead += rowsRead
      request.bytesRead += bytesRead
      request.engineMs += elapsedMs
    }
    const origin = () => ({ endpoint: name, tenantId: c.get('caller').tenant.id, requestId: request.requestId })
    const createReader = (signal?: () => AbortSignal): Reader => {
      const read: Read = (query) => {
        if (log.isLevelEnabled('debug')) logStatement(query)
        return database.read(query, { origin: origin(), onCost, signal: signal?.() })
      }
      return toReader(read)
    }
    const logStatement = ({ name: query, statement }: Query<unknown>) =>
      log.debug({ requestId: request.requestId, query, sql: withLiterals(statement) }, 'statement')
    let signal: AbortSignal | undefined
    const clientSignal = () => {
      signal ??= disconnectSignal(c)
      return signal
    }
    c.set('clientSignal', clientSignal)
    c.set('createReader', createReader)
    c.set('reader', createReader(clientSignal))
    c.set('openExport', (query) => database.export(query, { origin: origin(), signal: clientSignal() }))
    return next()
  }
}

/** Signal that aborts when the connection ends before the whole response is sent. */
function disconnectSignal(c: Context<ApiEnv>): AbortSignal {
  const controller = new AbortController()
  // Each read of the request listens; Node warns of more than ten.
  setMaxListeners(0, controller.signal)
  const { outgoing } = c.env
  // A connection that ended during the key lookup emits no second `close`.
  if (outgoing.destroyed) controller.abort()
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) controller.abort()
  })
  return controller.signal
}
