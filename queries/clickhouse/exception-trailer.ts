import { extractErrorAtTheEndOfChunk } from '@clickhouse/client'

/** In bytes: longer than any exception that the store writes behind rows already sent. */
const longestException = 32_768

/**
 * The rows of an answer as they come, but for the last 32 KiB, which wait for its end: there a statement that failed
 * midway has its exception (ClickHouse 25.11, HTTP interface), and that is thrown once the rows before it are told.
 * @param tag of the header X-ClickHouse-Exception-Tag; a store without one ends such an answer as it does.
 */
export async function* answerRows(answer: AsyncIterable<Buffer>, tag: string | undefined): AsyncGenerator<Buffer> {
  let held = Buffer.alloc(0)
  let failure: unknown
  try {
    for await (const piece of answer) {
      held = Buffer.concat([held, piece])
      const over = held.length - longestException
      if (over <= 0) continue
      yield held.subarray(0, over)
      held = held.subarray(over)
    }
  } catch (error) {
    failure = error
  }
  const at = tag === undefined ? -1 : held.indexOf(`\r\n__exception__\r\n${tag}\r\n`)
  yield at < 0 ? held : held.subarray(0, at)
  if (tag !== undefined && at >= 0) throw extractErrorAtTheEndOfChunk(held, tag)
  if (failure !== undefined) throw failure
}
