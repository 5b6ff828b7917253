import { type Duplex, PassThrough, pipeline, type Readable } from 'node:stream'
import { createBrotliDecompress } from 'node:zlib'
import { FetchFailure } from './fetch-failure.ts'
import { inflate } from './inflate.ts'

/** Value of Accept-Encoding. */
export const acceptedEncodings = 'gzip, br'

const decoders: Readonly<Record<string, () => Duplex[]>> = {
  gzip: () => inflate('gzip'),
  'x-gzip': () => inflate('gzip'),
  deflate: () => inflate('deflate'),
  br: () => [createBrotliDecompress()],
}

/** Each brotli decoder has a window of up to 16 MB. */
const maxEncodings = 2

/** Bytes of no text (WHATWG MIME Sniffing, 3). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what makes bytes no text
const binary = /[\0-\x08\x0b\x0e-\x1a\x1c-\x1f]/

export interface BodyBytes {
  /** Size after decompression, to which the limit applies. */
  readonly size: number
  /** The body continues past the limit. */
  readonly isCut: boolean
}

/** @param onChunk gets the bytes up to `maxBytes`, and their place. */
export async function readBody(
  body: Readable,
  encodings: readonly string[],
  { maxBytes, onChunk }: { readonly maxBytes: number; readonly onChunk: (chunk: Buffer, at: number) => void },
): Promise<BodyBytes> {
  const names = encodings.flatMap((line) => line.toLowerCase().split(',')).map((name) => name.trim())
  const encoded = names.filter((name) => decoders[name]).reverse()
  // A server that names its charset, for one, sends the text itself.
  const isUnknown = names.some((name) => !decoders[name] && name !== '' && name !== 'identity')
  const streams = encoded.slice(0, maxEncodings).flatMap((name) => decoders[name]?.() ?? [])
  const refusal = () => new FetchFailure('connection_failed', 'The response has an encoding that was not requested')
  if (encoded.length > maxEncodings) throw refusal()
  const decoded = new PassThrough()
  // `decoded` throws the same error.
  pipeline([body, ...streams, decoded], () => {})
  let size = 0
  for await (const chunk of decoded as AsyncIterable<Buffer>) {
    if (isUnknown && binary.test(chunk.toString('latin1'))) throw refusal()
    const taken = chunk.subarray(0, maxBytes - size)
    onChunk(taken, size)
    size += taken.length
    if (taken.length < chunk.length) return { size, isCut: true }
  }
  return { size, isCut: false }
}
