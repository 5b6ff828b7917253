import { request as ask, createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline, Readable } from 'node:stream'
import { expect } from 'vitest'
import type { Answered } from './api.ts'

/** The name of the query a request to the store carries, as the store's own log would show it. */
function queryName(url: string): string {
  const comment = new URL(url, 'http://store').searchParams.get('log_comment')
  return comment ? JSON.parse(comment).query : ''
}

/** A response instead of the database's, or after a delay the database's own. */
export type Respond = () => Response | Promise<Response | undefined>

export type Fault =
  /** The connection is reset before a byte of the answer. */
  | 'reset'
  /** The answer ends in its middle, though its length was announced. */
  | 'cut'
  /** Nothing ever comes. */
  | 'hang'
  /** What comes never ends. */
  | 'endless'
  | Respond

function* endlessly(): Generator<Buffer> {
  const piece = Buffer.alloc(1024 * 1024, ' ')
  for (;;) yield piece
}

/** Stands before a store, and does to the answers of chosen queries what no healthy server does. */
export interface FaultServer {
  readonly url: string
  /** From now on, for the queries whose name passes; without arguments every answer is whole again. */
  inject(fault?: Fault, which?: (query: string) => boolean): void
  close(): Promise<void>
}

/** @param storeUrl with the user in it, as `connect` takes it. */
export async function startFaultServer(storeUrl: string): Promise<FaultServer> {
  const store = new URL(storeUrl)
  let fault: Fault | undefined
  let hits = (_: string) => false

  const server = createServer((incoming, response) => {
    const chosen = fault !== undefined && hits(queryName(incoming.url ?? '')) ? fault : undefined
    if (chosen === 'reset') incoming.socket.resetAndDestroy()
    else if (chosen === 'endless') pipeline(Readable.from(endlessly()), response, () => {})
    else if (typeof chosen === 'function') void respondWith(chosen, store, incoming, response)
    else if (chosen !== 'hang') forward(store, incoming, response, chosen === 'cut')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(store)
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    inject(injected, which = () => true) {
      fault = injected
      hits = which
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function respondWith(respond: Respond, store: URL, incoming: IncomingMessage, response: ServerResponse) {
  const own = await respond()
  if (!own) return forward(store, incoming, response, false)
  response.writeHead(own.status, Object.fromEntries(own.headers))
  response.end(Buffer.from(await own.arrayBuffer()))
}

function forward(store: URL, incoming: IncomingMessage, response: ServerResponse, cut: boolean): void {
  const { method, url, headers } = incoming
  const toStore = ask({ host: store.hostname, port: store.port, method, path: url, headers }, (answer) => {
    const chunks: Buffer[] = []
    answer.on('data', (chunk: Buffer) => chunks.push(chunk))
    answer.on('end', () => {
      const body = Buffer.concat(chunks)
      const { 'transfer-encoding': _, ...headers } = answer.headers
      response.writeHead(answer.statusCode ?? 500, { ...headers, 'content-length': body.length })
      if (cut) response.write(body.subarray(0, body.length / 2), () => response.destroy())
      else response.end(body)
    })
  })
  incoming.pipe(toStore)
}

/** The store cannot answer now: the caller is told to come back, and nothing of the cause. */
export function expectUnavailable({ status, headers, body }: Answered): void {
  expect(body).toEqual({
    error: {
      code: 'upstream_unavailable',
      message: 'The reports cannot be read now; retry after Retry-After seconds.',
      requestId: headers.get('X-Request-Id'),
    },
  })
  expect(status).toBe(503)
  expect(headers.get('Retry-After')).toMatch(/^[1-9]\d*$/)
}

/** Our own defect: the caller is told the request's id and nothing of the cause. */
export function expectInternalError({ status, headers, body }: Answered): void {
  expect(body).toEqual({
    error: {
      code: 'internal_error',
      message: 'The service failed; quote the request id.',
      requestId: headers.get('X-Request-Id'),
    },
  })
  expect(status).toBe(500)
  expect(headers.has('Retry-After')).toBe(false)
}
