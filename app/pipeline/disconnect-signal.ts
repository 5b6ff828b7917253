import type { Context } from 'hono'
import type { ApiEnv } from './request-context.ts'

/** Signal that aborts when the connection ends before the whole response is sent. */
export function disconnectSignal(c: Context<ApiEnv>): AbortSignal {
  const controller = new AbortController()
  const { outgoing } = c.env
  // A connection that ended during the key lookup emits no second `close`.
  if (outgoing.destroyed) controller.abort()
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) controller.abort()
  })
  return controller.signal
}
