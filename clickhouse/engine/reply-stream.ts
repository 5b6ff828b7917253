import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { createGzip, type Gzip } from 'node:zlib'
import type { EngineRequest } from './engine-request.ts'
import { type EngineError, engineError, exceptionText, toEngineError } from './errors.ts'
import { queryHeaders, replyWhole, summaryHeader } from './reply.ts'
import type { Piece } from './stream-workers.ts'

const heldBytes = 1024 * 1024
const stallMilliseconds = 60_000

/**
 * Answers with pieces as the client takes them. Up to a megabyte is held back, so that an early error still gets its
 * status; a later one ends the body the way a server of version 25.11 or newer ends it, and then cuts the connection.
 */
export async function replyStream(
  response: ServerResponse,
  request: EngineRequest,
  format: string,
  pieces: AsyncGenerator<Piece, void>,
): Promise<void> {
  const started = performance.now()
  const elapsedSeconds = () => (performance.now() - started) / 1000
  const held: Uint8Array[] = []
  let [bytes, rows] = [0, 0]
  while (bytes < heldBytes) {
    const { done, value } = await pieces.next()
    if (done) {
      const summary = { resultRows: rows, resultBytes: bytes, elapsedSeconds: elapsedSeconds() }
      return replyWhole(response, request, format, Buffer.concat(held, bytes), summary)
    }
    held.push(value.bytes)
    bytes += value.bytes.length
    rows += value.rows
  }
  const tag = randomBytes(8).toString('hex')
  response.writeHead(200, {
    ...queryHeaders(request, format),
    'X-ClickHouse-Summary': summaryHeader({ elapsedSeconds: elapsedSeconds() }),
    'X-ClickHouse-Exception-Tag': tag,
    ...(request.gzip ? { 'Content-Encoding': 'gzip' } : {}),
  })
  const body = request.gzip ? createGzip({ level: 3 }) : response
  if (body !== response) body.pipe(response)
  try {
    for (const piece of held) await write(body, piece, response)
    for await (const piece of pieces) await write(body, piece.bytes, response)
    body.end()
  } catch (thrown) {
    await cut(body, response, exceptionBlock(toEngineError(thrown), tag))
    throw thrown
  } finally {
    await pieces.return()
  }
}

async function write(body: Gzip | ServerResponse, piece: Uint8Array, response: ServerResponse): Promise<void> {
  if (response.destroyed) throw engineError('cancelled', 'The client left')
  if (body.write(piece)) return
  // A client that stops reading without leaving would hold its place among the running queries for ever.
  const stalled = setTimeout(() => response.destroy(), stallMilliseconds)
  const over = new AbortController()
  const heard = { signal: over.signal }
  try {
    await Promise.race([once(body, 'drain', heard), once(response, 'close', heard)])
  } finally {
    clearTimeout(stalled)
    over.abort()
  }
}

/** Source: ClickHouse 25.11, exceptions while a result is being sent over HTTP. */
function exceptionBlock(error: EngineError, tag: string): string {
  const text = exceptionText(error)
  return `\r\n__exception__\r\n${tag}\r\n${text}${Buffer.byteLength(text)} ${tag}\r\n__exception__\r\n`
}

/** Sends the last words and closes the socket without the final chunk, so every client sees that the body is cut. */
async function cut(body: Gzip | ServerResponse, response: ServerResponse, lastWords: string): Promise<void> {
  if (response.destroyed) return
  body.write(lastWords)
  if ('flush' in body) await new Promise<void>((resolve) => body.flush(resolve))
  await new Promise<void>((resolve) => response.write('', () => resolve()))
  response.socket?.destroySoon()
}
