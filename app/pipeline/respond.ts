import type { Context, MiddlewareHandler } from 'hono'
import type { Logger } from 'pino'
import type { Reader } from '../../queries/sql/query.ts'
import type { ResponseCache } from './cache/response-cache.ts'
import { singleFlight } from './cache/single-flight.ts'
import { dataHeaders, type Representation, respondConditional, toRepresentation } from './conditional-response.ts'
import { sendDownload } from './download.ts'
import type { AnyContext, DownloadEndpoint, JsonEndpoint } from './endpoint.ts'
import type { ApiEnv } from './request-context.ts'
import { TextResponse } from './text-response.ts'

/** Sends 200 or 304 from the response cache, or from the handler with single-flight; scope `key` uses neither. */
export function respond(endpoint: JsonEndpoint, responseCache: ResponseCache): MiddlewareHandler<ApiEnv> {
  const { name, scope, cache, window: rule } = endpoint
  const flights = singleFlight<Representation>()

  return async function respond(c) {
    const load = async (signal: AbortSignal) => {
      const reader = c.get('createReader')(() => signal)
      const response = await endpoint.handle(handlerContext(c, reader))
      if (response instanceof TextResponse) return { ...toRepresentation(response.text), headers: response.headers }
      const { next, ...body } = response
      const weaklyOf = endpoint.weakEtagOf && JSON.stringify(endpoint.weakEtagOf(body))
      return toRepresentation(JSON.stringify(body), next, undefined, weaklyOf)
    }
    const signal = c.get('clientSignal')
    if (scope === 'key') return respondConditional(c, await load(signal()))

    const { tenant, siteId } = c.get('caller')
    const { limit, cursor, to } = c.get('query')
    const [window, hasAdditions] = [c.get('window'), c.get('hasAdditions')]
    if (cache === undefined) {
      const request = [tenant.id, siteId, c.get('path'), c.get('query'), typeof rule === 'object' && window]
      return respondConditional(c, await flights(JSON.stringify(request), load, signal()))
    }
    const { cacheHit, representation, ageMs } = await responseCache.getOrLoad({
      tenantId: tenant.id,
      key: name + JSON.stringify([siteId, c.get('params'), hasAdditions, limit, cursor, window, c.get('earlier')]),
      isShared: to === undefined && cursor === undefined,
      // Other requests wait for the same import version, so a disconnect does not end its lookup.
      read: c.get('createReader')().read,
      signal,
      load,
    })
    c.get('request').cacheHit = cacheHit
    return respondConditional(c, representation, { ...dataHeaders, Age: String(Math.ceil(ageMs / 1000)) })
  }
}

/** Sends the handler's result while it is read. */
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
    hasAdditions: c.get('hasAdditions'),
    window: c.get('window'),
    earlier: c.get('earlier'),
    page: c.get('page'),
    retentionFrom: c.get('retentionFrom').getTime(),
    ...reader,
    openExport: c.get('openExport'),
    charge: c.get('charge'),
  }
}
