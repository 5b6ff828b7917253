import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import { type EngineRequest, readEngineRequest } from './engine-request.ts'
import { engineError, toEngineError } from './errors.ts'
import { handleQuery, type QueryContext } from './handle-query.ts'
import type { ReaderPolicy } from './reader-policy.ts'
import { replyError } from './reply.ts'

/** What happened to one request; never holds the query's text or its parameters. Milliseconds are whole. */
export type RequestEvent = {
  event: 'query'
  queryId: string
  role: string
  /** The caller's own description of the query; an API puts endpoint, tenant and request id here. */
  comment: string
  milliseconds: number
  code: number
}

/** What the interface needs besides: who the writer is, and which settings the reader may send. */
export type ServerContext = QueryContext & { writerPassword: string; policy: ReaderPolicy }

/** Makes the HTTP interface. It must listen on loopback only. */
export function createHttpServer(context: ServerContext, onRequest: (event: RequestEvent) => void): Server {
  const server = createServer({ maxHeaderSize: 1024 * 1024, requestTimeout: 0 }, (incoming, response) => {
    // An answer that cannot even be refused must not end the process.
    answer(context, incoming, response, onRequest).catch(() => response.destroy())
  })
  server.keepAliveTimeout = 30_000
  return server
}

async function answer(
  context: ServerContext,
  incoming: IncomingMessage,
  response: ServerResponse,
  onRequest: (event: RequestEvent) => void,
): Promise<void> {
  const started = performance.now()
  const leaving = new AbortController()
  response.on('close', () => {
    if (!response.writableFinished) leaving.abort()
  })
  let request: EngineRequest | undefined
  let code = 0
  try {
    checkOrigin(incoming.headers)
    const path = incoming.url?.split('?', 1)[0]
    const asksNothing = (path === '/' || path === '/ping') && incoming.method !== 'POST' && !incoming.url?.includes('?')
    if (path === '/ping' || path === '/replicas_status' || asksNothing) return replyText(response, 200, 'Ok.\n')
    if (path !== '/') return replyText(response, 404, 'There is no handle for this path. Use / or /ping\n')
    request = readEngineRequest(incoming, context.writerPassword)
    if (request.role === 'reader') for (const [name] of request.settings) context.policy.checkSetting(name)
    await handleQuery(context, request, incoming, response, leaving.signal)
  } catch (thrown) {
    const error = toEngineError(thrown)
    code = error.code
    incoming.resume()
    if (!response.headersSent) replyError(response, error, request)
    else if (!response.socket?.writableEnded) response.destroy()
  }
  const milliseconds = Math.round(performance.now() - started)
  if (!request) return
  const comment = request.settings.findLast(([name]) => name === 'log_comment')?.[1] ?? ''
  onRequest({ event: 'query', queryId: request.queryId, role: request.role, comment, milliseconds, code })
}

const loopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/i

/** A page of another site can resolve its name to 127.0.0.1 or just post here, but it can forge neither header. */
function checkOrigin({ host, origin }: IncomingHttpHeaders): void {
  const sender = origin?.replace(/^https?:\/\//, '')
  if ([host, sender].some((name) => name !== undefined && !loopback.test(name))) {
    throw engineError('accessDenied', 'Only loopback host names and origins are served')
  }
}

function replyText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=UTF-8', 'Content-Length': text.length })
  response.end(text)
}
