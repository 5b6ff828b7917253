import type { Context } from 'hono'
import type { Read } from '../../../queries/query.ts'
import { type Representation, toRepresentation } from '../conditional-response.ts'
import type { Endpoint, HandlerContext } from '../endpoint.ts'
import type { ApiEnv } from '../request-context.ts'
import type { CachedResponse, ResponseCache } from './response-cache.ts'
import { singleFlight } from './single-flight.ts'

type Loaded = Pick<CachedResponse, 'representation'> & Partial<CachedResponse>

/**
 * An operation's handler behind single-flight and, where its definition allows it, the response cache. Responses of
 * scope `key` are neither shared nor cached.
 */
export function cachedHandler(
  endpoint: Endpoint,
  responseCache: ResponseCache,
): (c: Context<ApiEnv>) => Promise<Loaded> {
  const { name, scope, cache } = endpoint
  const flights = singleFlight<Loaded>()

  return async function handle(c) {
    const clientSignal = c.get('clientSignal')()
    const load = async (signal: AbortSignal): Promise<Representation> => {
      const body = await endpoint.handle(handlerContext(c, c.get('readUntil')(signal)))
      return toRepresentation(JSON.stringify(body))
    }
    if (scope === 'key') return { representation: await load(clientSignal) }

    const tenantId = c.get('caller').tenant.id
    const request = JSON.stringify([c.get('path'), c.get('query')])
    return flights(
      `${tenantId} ${request}`,
      async (signal) => {
        if (cache === undefined) return { representation: await load(signal) }
        return responseCache.getOrLoad({
          tenantId,
          key: `${name} ${request} ${JSON.stringify([c.get('window'), c.get('earlier')])}`,
          // Other requests wait for the same import version, so a disconnect does not end its lookup.
          read: c.get('readUntil')(),
          load: () => load(signal),
        })
      },
      clientSignal,
    )
  }
}

function handlerContext(c: Context<ApiEnv>, read: Read): HandlerContext<never, unknown, undefined, undefined, 'key'> {
  return {
    caller: c.get('caller'),
    params: c.get('params') as never,
    filter: c.get('filter'),
    window: c.get('window') as undefined,
    earlier: c.get('earlier'),
    page: c.get('page') as undefined,
    retentionFrom: c.get('retentionFrom').getTime(),
    read,
    readAll: async (queries) => (await Promise.all(queries.map(read))).flat(),
  }
}
