/** @module Reads the JSON of a POST within bounds that are checked before it is parsed. */

import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { withoutByteOrderMark } from '../import/ndjson/line-error.ts'
import { CollectorError } from './collector-error.ts'

/** Bytes, packed and unpacked. */
export const maxBodyBytes = 1024 * 1024

/** A report nests four deep; policies and stacks are texts. */
const maxDepth = 16

/** Commas outside texts: 10,000 reports of 20 members. */
const maxMembers = 200_000

const unzip = promisify(gunzip)

export async function readBody(body: Buffer, encoding: string | undefined): Promise<unknown> {
  const bytes = await unpack(body, encoding)
  checkStructure(bytes)
  try {
    return JSON.parse(withoutByteOrderMark(bytes.toString('utf8')))
  } catch {
    throw new CollectorError(400, 'bad_request', 'The body is not JSON')
  }
}

/** Case-insensitive; x-gzip is gzip (RFC 9110, 8.4.1). */
const codings = /^(?:identity|(?:x-)?gzip)$/i

/** Throws CollectorError(415). */
export function requireCoding(encoding = 'identity'): void {
  if (codings.test(encoding)) return
  throw new CollectorError(415, 'unsupported_media_type', 'Content-Encoding must be gzip or absent')
}

async function unpack(body: Buffer, encoding = 'identity'): Promise<Buffer> {
  if (encoding.toLowerCase() === 'identity') return body
  try {
    return await unzip(body, { maxOutputLength: maxBodyBytes })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge()
    throw new CollectorError(400, 'bad_request', 'The body is not gzip')
  }
}

export const tooLarge = () =>
  new CollectorError(
    413,
    'payload_too_large',
    `The body has more than ${maxBodyBytes} bytes; send fewer reports per post`,
  )

const [quote, backslash, comma, openBrace, closeBrace, openBracket, closeBracket] = [...'"\\,{}[]'].map((character) =>
  character.charCodeAt(0),
)

function checkStructure(bytes: Buffer): void {
  let [depth, members] = [0, 0]
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === quote) {
      for (at++; at < bytes.length && bytes[at] !== quote; at++) if (bytes[at] === backslash) at++
    } else if (byte === openBrace || byte === openBracket) {
      if (++depth > maxDepth)
        throw new CollectorError(400, 'bad_request', `The body is nested more than ${maxDepth} levels deep`)
    } else if (byte === closeBrace || byte === closeBracket) depth--
    else if (byte === comma && ++members > maxMembers) {
      throw new CollectorError(400, 'bad_request', `The body has more than ${maxMembers} members`)
    }
  }
}
