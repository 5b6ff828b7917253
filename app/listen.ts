import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import type { Hono } from 'hono'
import type { ApiEnv } from './pipeline/request-state.ts'

/** A listening API. */
export interface Listener {
  /** `http://host:port`. */
  readonly url: string
  /** Answers what is under way, refuses what is new, and after 10 s ends what is left. */
  stop(): Promise<void>
}

const drainMilliseconds = 10_000

/**
 * Throws an Error of one line when the port cannot be had.
 * @param stalledMilliseconds a connection on which nothing moves for so long is ended, because it can hold an answer that
 * nobody reads; longer than any answer takes to begin.
 */
export async function listen(
  app: Hono<ApiEnv>,
  port: number,
  host: string,
  stalledMilliseconds = 60_000,
): Promise<Listener> {
  let draining = false
  const server = createAdaptorServer({
    fetch: async (request, env) => {
      const response = await app.fetch(request, env)
      // Keeps a client from sending its next request on a connection that is about to go.
      if (draining) response.headers.set('Connection', 'close')
      return response
    },
  })
  if ('timeout' in server) server.timeout = stalledMilliseconds
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const taken = error.code === 'EADDRINUSE'
      reject(new Error(taken ? `Port ${port} on ${host} is taken; set PORT to another` : error.message))
    })
    server.listen(port, host, resolve)
  })
  const address = server.address() as AddressInfo
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`,
    stop: () =>
      new Promise((resolve) => {
        draining = true
        const deadline = setTimeout(
          () => 'closeAllConnections' in server && server.closeAllConnections(),
          drainMilliseconds,
        )
        server.close(() => {
          clearTimeout(deadline)
          resolve()
        })
        if ('closeIdleConnections' in server) server.closeIdleConnections()
      }),
  }
}
