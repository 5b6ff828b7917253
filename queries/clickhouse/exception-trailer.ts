import { extractErrorAtTheEndOfChunk } from '@clickhouse/client'

/** Bytes: larger than any exception that ClickHouse appends to rows it already sent. */
const maxTrailerSize = 32_768

/** Throws the exception at its end. @param tag X-ClickHouse-Exception-Tag (ClickHouse 25.11); else no trailer. */
export async function* withoutExceptionTrailer(
  response: AsyncIterable<Buffer>,
  tag: string | undefined,
): AsyncGenerator<Buffer> {
  let tail = Buffer.alloc(0)
  let failure: unknown
  try {
    for await (const chunk of response) {
      tail = Buffer.concat([tail, chunk])
      const excess = tail.length - maxTrailerSize
      if (excess <= 0) continue
      yield tail.subarray(0, excess)
      tail = tail.subarray(excess)
    }
  } catch (error) {
    failure = error
  }
  const trailerAt = tag === undefined ? -1 : tail.indexOf(`\r\n__exception__\r\n${tag}\r\n`)
  yield trailerAt < 0 ? tail : tail.subarray(0, trailerAt)
  if (tag !== undefined && trailerAt >= 0) throw extractErrorAtTheEndOfChunk(tail, tag)
  if (failure !== undefined) throw failure
}
