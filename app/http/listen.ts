import { createServer, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { getRequestListener, type HttpBindings, RequestError } from '@hono/node-server'
import type { Hono } from 'hono'
import { Problem } from '../../schema/problems.ts'
import { problemResponse } from '../pipeline/json-response.ts'
import type { ApiEnv } from '../pipeline/request-context.ts'
import { handleClientErrors } from './handle-client-errors.ts'

export interface Listener {
  readonly url: string
  /**
   * Keeps serving for the drain, then accepts no new requests, and ends requests in flight after 10 s. Responses then
   * close their connections, so that a proxy does not reuse them.
   */
  stop(drainSeconds?: number): Promise<void>
}

const closeTimeoutMs = 10_000

/** Real values; tests shorten them. */
export const connectionLimits = {
  /** Limit of a whole request, from its first byte or its connection: a slow body cannot occupy memory longer. */
  requestTimeoutMs: 10_000,
  /** Limit without traffic, for example if a client never reads its response. */
  idleTimeoutMs: 60_000,
  /**
   * Longer than the 60 s for which balancers keep an idle connection, so that they never reuse a connection that is
   * being closed.
   */
  keepAliveTimeoutMs: 75_000,
  checkIntervalMs: 1_000,
  /** A connection takes up to 64 KB of unread data, and 20 KB. */
  maxConnections: 4_000,
}

/** A response outside the app, for a request that never reached it or that it failed to handle. */
export interface ListenerProblem {
  readonly requestId: string
  readonly status: number
  readonly err: unknown
}

export interface ListenOptions {
  readonly limits?: Partial<typeof connectionLimits>
  readonly onProblem?: (problem: ListenerProblem) => void
  /** A client that has sent its last byte gets its response; without it, Node closes such connections. */
  readonly allowHalfOpen?: boolean
  /** Environment variable of the port, for errors. */
  readonly variable?: string
}

/** Throws an Error of one line when it cannot listen. */
export async function listen(
  app: Hono<ApiEnv>,
  port: number,
  host: string,
  { limits = {}, onProblem, allowHalfOpen = false, variable = 'PORT' }: ListenOptions = {},
): Promise<Listener> {
  const { requestTimeoutMs, idleTimeoutMs, keepAliveTimeoutMs, checkIntervalMs, maxConnections } = {
    ...connectionLimits,
    ...limits,
  }
  let draining = false
  async function handle(request: Request, env: HttpBindings): Promise<Response> {
    requireHost(env.incoming)
    const response = await app.fetch(request, env)
    // The client sends its next request on another connection.
    if (draining) response.headers.set('Connection', 'close')
    return response
  }
  function reject(problem: Problem, err: unknown): Response {
    const { requestId, response } = problemResponse(problem)
    onProblem?.({ requestId, status: response.status, err })
    return response
  }
  const server = createServer(
    {
      // Node's own 400 would have no body.
      requireHostHeader: false,
      requestTimeout: requestTimeoutMs,
      headersTimeout: requestTimeoutMs,
      keepAliveTimeout: keepAliveTimeoutMs,
      connectionsCheckingInterval: checkIntervalMs,
    },
    getRequestListener((request, env) => handle(request, env as HttpBindings), {
      hostname: 'localhost',
      errorHandler: (err) =>
        reject(
          err instanceof RequestError
            ? new Problem('bad_request', 'The Host or the target of the request is missing or malformed')
            : new Problem('internal_error'),
          err,
        ),
    }),
  )
  handleClientErrors(server, reject)
  // An expectation that is not known may be ignored (RFC 9110, 10.1.1); Node's own 417 would have no body.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  server.timeout = idleTimeoutMs
  Object.assign(server, { httpAllowHalfOpen: allowHalfOpen })
  server.maxConnections = maxConnections
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  // Idle ones make room for the next.
  server.on('drop', () => server.closeIdleConnections())
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(new Error(listenError(error, port, host, variable))))
    server.listen(port, host, resolve)
  })
  const address = server.address() as AddressInfo
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`,
    async stop(drainSeconds = 0) {
      draining = true
      await sleep(drainSeconds * 1000)
      await close(server, sockets)
    },
  }
}

/** HTTP/1.0 need not name a host, HTTP/1.1 must, and once; a target has no fragment (RFC 9112, 3.2). */
function requireHost({ httpVersion, rawHeaders, url = '' }: HttpBindings['incoming']): void {
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length
  if (hosts > 1 || (hosts === 0 && httpVersion !== '1.0')) throw new RequestError(`There are ${hosts} Host headers`)
  if (url.includes('#')) throw new RequestError('The target has a fragment')
}

function close(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  return new Promise((resolve) => {
    // Over HTTP/1.0 a closed connection ends a complete body.
    const deadline = setTimeout(() => sockets.forEach((socket) => void socket.resetAndDestroy()), closeTimeoutMs)
    server.close(() => {
      clearTimeout(deadline)
      resolve()
    })
    server.closeIdleConnections()
  })
}

function listenError({ code = '', message }: NodeJS.ErrnoException, port: number, host: string, variable: string) {
  if (code === 'EADDRINUSE') return `Port ${port} on ${host} is in use; set ${variable} to another port`
  if (code === 'EACCES') return `This user must not open port ${port} on ${host}; set ${variable} to another port`
  return `HOST must be an address to listen on, not ${JSON.stringify(host)}: ${message}`
}
