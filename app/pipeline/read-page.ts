import type { MiddlewareHandler } from 'hono'
import type { Endpoint } from './endpoint.ts'
import { createPage } from './page.ts'
import type { ApiEnv } from './request-context.ts'

export function readPage({ page: policy }: Endpoint): MiddlewareHandler<ApiEnv> {
  return function readPage(c, next) {
    if (policy) {
      const { limit = policy.defaultLimit } = c.get('query')
      c.set('page', createPage(policy, limit, c.get('window') ?? null, c.get('fingerprint'), c.get('cursor')))
    }
    return next()
  }
}
