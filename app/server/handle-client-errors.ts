import { type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { Problem } from '../../schema/problems.ts'

/** What was wrong, by Node's name of it. */
const reasons: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'The request’s target and headers are longer than 16 KB; send a shorter one',
  HPE_INVALID_URL: 'The request’s target is malformed; percent-encode what is not ASCII',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time',
}
const unreadable = 'The request is not HTTP'

/** Answers what the server cannot read as `refuse` does, instead of without a body, and hangs up. */
export function handleClientErrors(server: Server, refuse: (problem: Problem, cause: Error) => Response): void {
  const latest = new WeakMap<Duplex, ServerResponse>()
  server.on('request', ({ socket }, response) => latest.set(socket, response))
  server.on('clientError', async ({ code = '', message }: NodeJS.ErrnoException, socket) => {
    const isAnswering = latest.get(socket)?.writableFinished === false
    // Whoever left hears nothing, and nothing may be written into the answer before.
    if (!socket.writable || code === 'ECONNRESET' || isAnswering) {
      socket.destroy()
      return
    }
    // Node's own error holds the request's bytes, and its key with them.
    const refusal = refuse(new Problem('bad_request', reasons[code] ?? unreadable), new Error(message))
    const { status, headers } = refusal
    const body = await refusal.text()
    const head = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      ...[...headers].map(([name, value]) => `${name}: ${value}`),
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
    ]
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  })
}
