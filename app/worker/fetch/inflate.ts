/**
 * @module Decoders without a trailer, which browsers do not read. A stream that ends before its last block is an error.
 */

import { type Duplex, Transform } from 'node:stream'
import { createInflateRaw } from 'node:zlib'

/** Size of a gzip header with the longest name. */
const maxHeaderBytes = 64 * 1024

/** Length of a header from its first bytes; undefined if more bytes are needed; -1 for another format. */
type HeaderLength = (bytes: Buffer) => number | undefined

const headerLengths: Readonly<Record<'gzip' | 'deflate', HeaderLength>> = {
  /** RFC 1952, 2.3: ten bytes, then the fields that the flags name. */
  gzip(bytes) {
    const [first, second, method, flags = 0] = bytes
    if (bytes.length < 12) return undefined
    if (first !== 0x1f || second !== 0x8b || method !== 8) return -1
    let at = flags & 4 ? 12 + bytes.readUInt16LE(10) : 10
    for (const text of [8, 16]) if (flags & text) at = bytes.indexOf(0, at) + 1 || Number.POSITIVE_INFINITY
    if (flags & 2) at += 2
    return at <= bytes.length ? at : undefined
  },
  /** RFC 1950, 2.2; servers also send deflate without it. */
  deflate: (bytes) =>
    bytes.length < 2 ? undefined : ((bytes[0] ?? 0) & 15) === 8 && bytes.readUInt16BE() % 31 === 0 ? 2 : 0,
}

export function inflate(format: keyof typeof headerLengths): Duplex[] {
  let start: Buffer | undefined = Buffer.alloc(0)
  const withoutHeader = new Transform({
    transform(chunk: Buffer, _, callback) {
      if (!start) return callback(null, chunk)
      start = Buffer.concat([start, chunk])
      const length = headerLengths[format](start)
      if (length === undefined && start.length <= maxHeaderBytes) return callback()
      if (length === undefined || length < 0) return callback(new Error(`The body is not ${format}`))
      const rest = start.subarray(length)
      start = undefined
      callback(null, rest)
    },
  })
  return [withoutHeader, createInflateRaw()]
}
