import { type Server, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { Problem } from '../schema/problems.ts'
import type { OutsideAnswer } from './listen.ts'
import { outsideProblem } from './pipeline/answer.ts'

/** What was wrong, by Node's name of it. */
const reasons: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'The request’s target and headers are longer than 16 KB; send a shorter one',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time',
}
const unreadable = 'The request is not HTTP'

/** Answers what the server cannot read as it answers every refusal, instead of without a body, and hangs up. */
export function answerUnreadable(server: Server, onOutside: ((answer: OutsideAnswer) => void) | undefined): void {
  const answering = new WeakSet<Socket>()
  server.on('request', ({ socket }, response) => {
    answering.add(socket)
    response.once('close', () => answering.delete(socket))
  })
  server.on('clientError', async (err: NodeJS.ErrnoException, stream) => {
    const socket = stream as Socket
    // Whoever left hears nothing, and nothing may be written into the answer before.
    if (!socket.writable || err.code === 'ECONNRESET' || answering.has(socket)) {
      socket.destroy()
      return
    }
    const { requestId, response } = outsideProblem(new Problem('bad_request', reasons[err.code ?? ''] ?? unreadable))
    const { status } = response
    // Node's own error holds the request's bytes, and its key with them.
    onOutside?.({ requestId, status, err: new Error(err.message) })
    const body = await response.text()
    const head = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      ...[...response.headers].map(([name, value]) => `${name}: ${value}`),
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
    ]
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  })
}
