import { PassThrough, pipeline, type Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip } from 'node:zlib'
import { FetchFailure } from './fetch-failure.ts'

/** Value of Accept-Encoding. */
export const acceptedEncodings = 'gzip, br'

const decoders: Readonly<Record<string, () => NodeJS.ReadWriteStream>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  br: createBrotliDecompress,
}

/** Each brotli decoder has a window of up to 16 MB. */
const maxEncodings = 2

export interface BodyBytes {
  /** After decompression, as the limit is. */
  readonly size: number
  /** The body goes on past the limit. */
  readonly isCut: boolean
}

/** @param onChunk gets the bytes up to `maxBytes`, and their place. */
export async function readBody(
  body: Readable,
  encodings: readonly string[],
  { maxBytes, onChunk }: { readonly maxBytes: number; readonly onChunk: (chunk: Buffer, at: number) => void },
): Promise<BodyBytes> {
  const names = encodings.flatMap((line) => line.toLowerCase().split(',')).map((name) => name.trim())
  const encoded = names.filter((name) => name !== '' && name !== 'identity').reverse()
  const streams = encoded.slice(0, maxEncodings).flatMap((name) => decoders[name]?.() ?? [])
  if (streams.length < encoded.length) {
    throw new FetchFailure('connection_failed', 'The response has an encoding that was not asked for')
  }
  const decoded = new PassThrough()
  // Its error is the one that `decoded` throws.
  pipeline([body, ...streams, decoded], () => {})
  let size = 0
  for await (const chunk of decoded as AsyncIterable<Buffer>) {
    const taken = chunk.subarray(0, maxBytes - size)
    onChunk(taken, size)
    size += taken.length
    if (taken.length < chunk.length) return { size, isCut: true }
  }
  return { size, isCut: false }
}
