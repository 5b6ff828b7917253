import type { MiddlewareHandler } from 'hono'
import type { Endpoint } from './endpoint.ts'
import { createPage } from './page.ts'
import type { ApiEnv } from './request-context.ts'

export function readPage({ page: policy, window: rule }: Endpoint): MiddlewareHandler<ApiEnv> {
  return function readPage(c, next) {
    if (policy) {
      const { limit = policy.defaultLimit } = c.get('query')
      const cursor = c.get('cursor')
      // The next cursor has the window as first requested, so that a client can repeat it while retention moves.
      const window = cursor ? cursor.window : (c.get('window') ?? null)
      const isWindowRequested = typeof rule === 'object'
      const fingerprint = c.get('fingerprint')
      c.set('page', createPage(policy, { limit, window, isWindowRequested, fingerprint, cursor }))
    }
    return next()
  }
}
