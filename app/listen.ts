import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener, type HttpBindings, RequestError } from '@hono/node-server'
import type { Hono } from 'hono'
import { Problem } from '../schema/problems.ts'
import { answerUnreadable } from './answer-unreadable.ts'
import { outsideProblem } from './pipeline/json-response.ts'
import type { ApiEnv } from './pipeline/request-context.ts'

/** A listening API. */
export interface Listener {
  /** `http://host:port`. */
  readonly url: string
  /** Answers what is under way, refuses what is new, and after 10 s ends what is left. */
  stop(): Promise<void>
}

const drainMilliseconds = 10_000

/** An answer that the app did not make: to what cannot be given to it, or to what it failed to answer. */
export interface OutsideAnswer {
  readonly requestId: string
  readonly status: number
  readonly err: unknown
}

/** What a caller of `listen` may choose. */
export interface ListenOptions {
  /**
   * A connection on which nothing moves for so long is ended, because it can hold an answer that nobody reads; longer than
   * any answer takes to begin.
   */
  readonly stalledMilliseconds?: number
  readonly onOutside?: (answer: OutsideAnswer) => void
}

/** Throws an Error of one line when the port cannot be had. */
export async function listen(
  app: Hono<ApiEnv>,
  port: number,
  host: string,
  { stalledMilliseconds = 60_000, onOutside }: ListenOptions = {},
): Promise<Listener> {
  let draining = false
  async function answerOne(request: Request, env: HttpBindings): Promise<Response> {
    const { httpVersion, headers } = env.incoming
    // HTTP/1.0 need not name a host, HTTP/1.1 must (RFC 9112, 3.2).
    if (httpVersion !== '1.0' && headers.host === undefined) throw new RequestError('There is no Host')
    const response = await app.fetch(request, env)
    // Keeps a client from sending its next request on a connection that is about to go.
    if (draining) response.headers.set('Connection', 'close')
    return response
  }
  function refuse(problem: Problem, err: unknown): Response {
    const { requestId, response } = outsideProblem(problem)
    onOutside?.({ requestId, status: response.status, err })
    return response
  }
  const server = createServer(
    // Node itself would refuse without a body.
    { requireHostHeader: false },
    getRequestListener((request, env) => answerOne(request, env as HttpBindings), {
      // Nothing here depends on a host.
      hostname: 'localhost',
      errorHandler: (err) =>
        refuse(
          err instanceof RequestError
            ? new Problem('bad_request', 'The Host or the target of the request is missing or malformed')
            : new Problem('internal_error'),
          err,
        ),
    }),
  )
  answerUnreadable(server, refuse)
  // An expectation that is not known may be ignored (RFC 9110, 10.1.1); Node's own 417 would have no body.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  server.timeout = stalledMilliseconds
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(new Error(whyNot(error, port, host))))
    server.listen(port, host, resolve)
  })
  const address = server.address() as AddressInfo
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`,
    stop: () =>
      new Promise((resolve) => {
        draining = true
        const deadline = setTimeout(() => server.closeAllConnections(), drainMilliseconds)
        server.close(() => {
          clearTimeout(deadline)
          resolve()
        })
        server.closeIdleConnections()
      }),
  }
}

/** Names the variable that another value would help. */
function whyNot({ code = '', message }: NodeJS.ErrnoException, port: number, host: string): string {
  if (code === 'EADDRINUSE') return `Port ${port} on ${host} is taken; set PORT to another`
  if (code === 'EACCES') return `Port ${port} on ${host} is not for this user; set PORT to another`
  return `HOST must be an address to listen on, not ${JSON.stringify(host)}: ${message}`
}
