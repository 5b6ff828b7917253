import type { Context } from 'hono'
import type { ApiEnv } from './request-context.ts'

/** Aborted when the caller's connection ends before the whole answer is sent. */
export function callerLeaving(c: Context<ApiEnv>): AbortSignal {
  const leaving = new AbortController()
  const { outgoing } = c.env
  // Whoever left while the key was looked up is not told of again.
  if (outgoing.destroyed) leaving.abort()
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) leaving.abort()
  })
  return leaving.signal
}
