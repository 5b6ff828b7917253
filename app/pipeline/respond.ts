import type { MiddlewareHandler } from 'hono'
import { cachedHandler } from './cache/cached-handler.ts'
import type { ResponseCache } from './cache/response-cache.ts'
import { respondConditional } from './conditional-response.ts'
import type { Endpoint } from './endpoint.ts'
import type { ApiEnv } from './request-context.ts'

/** Runs the handler, or takes its response from the cache, and sends it as 200 or 304. */
export function respond(endpoint: Endpoint, responseCache: ResponseCache): MiddlewareHandler<ApiEnv> {
  const handle = cachedHandler(endpoint, responseCache)
  return async function respond(c) {
    const { representation, cacheHit } = await handle(c)
    if (cacheHit !== undefined) c.get('request').cacheHit = cacheHit
    return respondConditional(c, representation)
  }
}
