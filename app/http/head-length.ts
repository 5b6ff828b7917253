import type { MiddlewareHandler } from 'hono'
import type { ApiEnv } from '../pipeline/request-context.ts'

/**
 * Content-Length of the GET in the response to its HEAD (RFC 9110, 9.3.2), which Hono builds from the GET's without the
 * body.
 */
export const headLength: MiddlewareHandler<ApiEnv> = async (c, next) => {
  await next()
  if (c.req.method !== 'HEAD' || !c.res.body) return
  const { byteLength } = await c.res.arrayBuffer()
  c.res.headers.set('Content-Length', String(byteLength))
}
