import type { Context, MiddlewareHandler } from 'hono'
import type { Logger } from 'pino'
import type { Reader } from '../../queries/sql/query.ts'
import type { ResponseCache } from './cache/response-cache.ts'
import { singleFlight } from './cache/single-flight.ts'
import { type Representation, respondConditional, toRepresentation } from './conditional-response.ts'
import { sendDownload } from './download.ts'
import type { AnyContext, DownloadEndpoint, JsonEndpoint } from './endpoint.ts'
import type { ApiEnv } from './request-context.ts'

/** Sends 200 or 304 from the response cache, or from the handler behind single-flight; scope `key` uses neither. */
export function respond(endpoint: JsonEndpoint, responseCache: ResponseCache): MiddlewareHandler<ApiEnv> {
  const { name, scope, cache } = endpoint
  const flights = singleFlight<Representation>()

  return async function respond(c) {
    const load = async (signal: AbortSignal) => {
      const { next, ...body } = await endpoint.handle(
        handlerContext(
          c,
          c.get('createReader')(() => signal),
        ),
      )
      return toRepresentation(JSON.stringify(body), next)
    }
    if (scope === 'key') return respondConditional(c, await load(c.get('clientSignal')()))

    const { tenant, siteId } = c.get('caller')
    const { limit, cursor } = c.get('query')
    // Signal and flight take 10 of a request's 200 µs of CPU time, so a hit has neither.
    const share = (task: typeof load) => {
      const request = JSON.stringify([tenant.id, siteId, c.get('path'), c.get('query')])
      return flights(request, task, c.get('clientSignal')())
    }
    if (cache === undefined) return respondConditional(c, await share(load))

    const found = await responseCache.find({
      tenantId: tenant.id,
      key: name + JSON.stringify([siteId, c.get('params'), limit, cursor, c.get('window'), c.get('earlier')]),
      // Other requests wait for the same import version, so a disconnect does not end its lookup.
      read: c.get('createReader')().read,
    })
    const representation = found.cacheHit
      ? found.representation
      : await share(async (signal) => {
          const loaded = await load(signal)
          found.store(loaded)
          return loaded
        })
    c.get('request').cacheHit = found.cacheHit
    return respondConditional(c, representation)
  }
}

/** Sends what the handler returns as it is read. */
export function respondDownload(endpoint: DownloadEndpoint, log: Logger): MiddlewareHandler<ApiEnv> {
  return async function respondDownload(c) {
    const download = await endpoint.handle(handlerContext(c, c.get('reader')))
    return sendDownload(c, download, log)
  }
}

function handlerContext(c: Context<ApiEnv>, reader: Reader): AnyContext {
  return {
    caller: c.get('caller'),
    params: c.get('params'),
    filter: c.get('filter'),
    window: c.get('window'),
    earlier: c.get('earlier'),
    page: c.get('page'),
    retentionFrom: c.get('retentionFrom').getTime(),
    ...reader,
    openExport: c.get('openExport'),
    charge: c.get('charge'),
  }
}
