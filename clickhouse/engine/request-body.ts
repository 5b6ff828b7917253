import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { engineError } from './errors.ts'

/** Pulls a body in pieces of a bounded size, so memory stays flat however long it is. */
export type RequestBody = {
  /** Reads until `bytes` are at hand or the body ends; a shorter piece is the last. */
  take(bytes: number): Promise<Buffer>
  /** Everything not taken yet, as it arrives. */
  rest(): AsyncGenerator<Buffer>
}

/** Opens a body and undoes its Content-Encoding (gzip, deflate, br). */
export function openBody(incoming: IncomingMessage): RequestBody {
  const pieces = decoded(incoming)[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  let left: Buffer = Buffer.alloc(0)

  async function next(): Promise<Buffer | undefined> {
    try {
      const { done, value } = await pieces.next()
      return done ? undefined : value
    } catch (error) {
      throw engineError('badArguments', `Cannot read the request body: ${(error as Error).message}`)
    }
  }

  return {
    async take(bytes) {
      const parts = [left]
      let size = left.length
      while (size < bytes) {
        const piece = await next()
        if (!piece) break
        parts.push(piece)
        size += piece.length
      }
      const all = parts.length === 1 ? left : Buffer.concat(parts, size)
      left = all.subarray(bytes)
      return all.subarray(0, bytes)
    },
    async *rest() {
      yield left
      for (let piece = await next(); piece; piece = await next()) yield piece
    },
  }
}

function decoded(incoming: IncomingMessage): Readable {
  const encoding = incoming.headers['content-encoding']?.toLowerCase() ?? 'identity'
  if (encoding === 'identity' || encoding === '') return incoming
  const makers = { gzip: createGunzip, 'x-gzip': createGunzip, deflate: createInflate, br: createBrotliDecompress }
  const make = makers[encoding as keyof typeof makers]
  if (!make) throw engineError('notImplemented', `Unknown Content-Encoding ${JSON.stringify(encoding)}`)
  const decoder = make()
  incoming.on('close', () => {
    if (!incoming.complete) decoder.destroy(new Error('the client left'))
  })
  return incoming.pipe(decoder)
}
