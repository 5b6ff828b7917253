import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline, Readable } from 'node:stream'
import { expect } from 'vitest'
import type { ApiResponse } from './api.ts'

/** Name of a request's query, as ClickHouse's query log has it. */
function queryName(url: string): string {
  const comment = new URL(url, 'http://clickhouse').searchParams.get('log_comment')
  return comment ? JSON.parse(comment).query : ''
}

/** A response instead of the database's, or after a delay the database's own. */
export type Respond = (request: IncomingMessage) => Response | Promise<Response | undefined>

export type Fault =
  /** The connection is reset before a byte of the response. */
  | 'reset'
  /** The response ends in its middle, though its length was announced. */
  | 'cut'
  /** Nothing ever comes. */
  | 'hang'
  /** The response never ends. */
  | 'endless'
  | Respond

function* endlessly(): Generator<Buffer> {
  const chunk = Buffer.alloc(1024 * 1024, ' ')
  for (;;) yield chunk
}

/** A proxy before ClickHouse that breaks the responses of chosen queries. */
export interface FaultServer {
  readonly url: string
  /** Replaces the fault, for queries whose name `matches`; without arguments every response is whole again. */
  inject(fault?: Fault, matches?: (query: string) => boolean): void
  close(): Promise<void>
}

/** @param databaseUrl with its user, as `connect` takes it. */
export async function startFaultServer(databaseUrl: string): Promise<FaultServer> {
  const database = new URL(databaseUrl)
  let fault: Fault | undefined
  let hits = (_: string) => false

  const server = createServer((incoming, response) => {
    const chosen = fault !== undefined && hits(queryName(incoming.url ?? '')) ? fault : undefined
    if (chosen === 'reset') incoming.socket.resetAndDestroy()
    else if (chosen === 'endless') pipeline(Readable.from(endlessly()), response, () => {})
    else if (typeof chosen === 'function') void respondWith(chosen, database, incoming, response)
    else if (chosen !== 'hang') forward(database, incoming, response, chosen === 'cut')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(database)
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    inject(injected, matches = () => true) {
      fault = injected
      hits = matches
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function respondWith(respond: Respond, database: URL, incoming: IncomingMessage, response: ServerResponse) {
  const own = await respond(incoming)
  if (!own) return forward(database, incoming, response, false)
  response.writeHead(own.status, Object.fromEntries(own.headers))
  response.end(Buffer.from(await own.arrayBuffer()))
}

function forward(database: URL, incoming: IncomingMessage, response: ServerResponse, cut: boolean): void {
  const { method, url, headers } = incoming
  const upstream = { host: database.hostname, port: database.port, method, path: url, headers }
  const forwarded = request(upstream, (received) => {
    const chunks: Buffer[] = []
    received.on('data', (chunk: Buffer) => chunks.push(chunk))
    received.on('end', () => {
      const body = Buffer.concat(chunks)
      const { 'transfer-encoding': _, ...headers } = received.headers
      response.writeHead(received.statusCode ?? 500, { ...headers, 'content-length': body.length })
      if (cut) response.write(body.subarray(0, body.length / 2), () => response.destroy())
      else response.end(body)
    })
  })
  incoming.pipe(forwarded)
}

/** The database is unavailable: 503 with Retry-After, without the cause. */
export function expectUnavailable({ status, headers, body }: ApiResponse): void {
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

/** A defect of our own: 500 with the request id, without the cause. */
export function expectInternalError({ status, headers, body }: ApiResponse): void {
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
