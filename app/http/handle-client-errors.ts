import { type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { Problem } from '../../schema/problems.ts'

const reasons: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'The request’s target and headers are longer than 16 KB; send a shorter one',
  HPE_INVALID_URL: 'The request’s target is malformed; percent-encode characters that are not ASCII',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time',
}
const unreadable = 'The request is not HTTP'

/** Sends the API's error body to a client whose request Node cannot parse, and closes the connection. */
export function handleClientErrors(server: Server, toResponse: (problem: Problem, cause: Error) => Response): void {
  const latest = new WeakMap<Duplex, ServerResponse>()
  server.on('request', ({ socket }, response) => latest.set(socket, response))
  server.on('clientError', async ({ code = '', message }: NodeJS.ErrnoException, socket) => {
    const isResponding = latest.get(socket)?.writableFinished === false
    // A client that disconnected gets nothing, and a response that has begun must not be written into.
    if (!socket.writable || code === 'ECONNRESET' || isResponding) {
      socket.destroy()
      return
    }
    // Node's own error holds the request's bytes, and with them its key.
    const response = toResponse(new Problem('bad_request', reasons[code] ?? unreadable), new Error(message))
    const { status, headers } = response
    const body = await response.text()
    const head = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      ...[...headers].map(([name, value]) => `${name}: ${value}`),
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
    ]
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  })
}
