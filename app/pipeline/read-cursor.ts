import type { MiddlewareHandler } from 'hono'
import { createCursorDecoder, cursorFingerprint } from './cursor.ts'
import type { Endpoint } from './endpoint.ts'
import type { ApiEnv } from './request-context.ts'

/** Comes before the window, which a cursor freezes. Throws bad_request. */
export function readCursor({ name, page }: Endpoint): MiddlewareHandler<ApiEnv> {
  const decode = page && createCursorDecoder(page.position.schema, page.maxDepth)
  return function readCursor(c, next) {
    if (decode) {
      const fingerprint = cursorFingerprint(name, c.get('caller').tenant.id, c.get('params'))
      const { cursor } = c.get('query')
      c.set('fingerprint', fingerprint)
      if (cursor !== undefined) c.set('cursor', decode(cursor, fingerprint))
    }
    return next()
  }
}
