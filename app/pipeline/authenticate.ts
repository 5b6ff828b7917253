import type { MiddlewareHandler } from 'hono'
import { Problem } from '../../schema/problems.ts'
import type { Authenticator } from './authenticator.ts'
import type { Endpoint } from './endpoint.ts'
import type { ApiEnv } from './request-context.ts'

/** Throws invalid_api_key, forbidden or upstream_unavailable. */
export function authenticate({ alwaysWorks }: Endpoint, authenticator: Authenticator): MiddlewareHandler<ApiEnv> {
  return async function authenticate(c, next) {
    const caller = await authenticator(c.req.header('Authorization'))
    c.get('request').hasCaller = true
    const { origins } = caller.key
    if (!alwaysWorks && origins.length > 0 && !origins.includes(c.req.header('Origin') ?? '')) {
      throw new Problem(
        'forbidden',
        'This key is restricted to pages of its origins; the Origin header is missing or is another origin',
      )
    }
    c.set('caller', caller)
    await next()
  }
}
