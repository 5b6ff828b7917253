import type { MiddlewareHandler } from 'hono'
import type { Authenticator } from './authenticator.ts'
import type { ApiEnv } from './request-context.ts'

export function authenticate(authenticator: Authenticator): MiddlewareHandler<ApiEnv> {
  return async function authenticate(c, next) {
    c.set('caller', await authenticator(c.req.header('Authorization')))
    await next()
  }
}
