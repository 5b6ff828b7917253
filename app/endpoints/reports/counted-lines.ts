const lineEnd = 0x0a

/**
 * U+0085, which some readers treat as a line end, such as Python's splitlines. ClickHouse escapes only U+2028 and
 * U+2029.
 */
const nextLine = Buffer.from('\u0085')
const withoutNextLine = (bytes: Buffer) =>
  bytes.includes(nextLine)
    ? Buffer.from(bytes.toString('latin1').replaceAll(nextLine.toString('latin1'), '\\u0085'), 'latin1')
    : bytes

/**
 * Passes lines through, then a line with their number and the cursor of the next export, if there is one. Throws if
 * there are fewer than counted before.
 */
export async function* countedLines(
  bytes: AsyncIterable<Buffer>,
  least: number,
  withEnd: boolean,
  next?: string,
): AsyncGenerator<Buffer | string> {
  let lines = 0
  let held = Buffer.alloc(0)
  for await (const piece of bytes) {
    const chunk = Buffer.concat([held, piece])
    // The rest of the character is in the next piece.
    held = chunk.subarray(chunk.at(-1) === nextLine[0] ? -1 : chunk.length)
    for (let at = chunk.indexOf(lineEnd); at >= 0; at = chunk.indexOf(lineEnd, at + 1)) lines++
    yield withoutNextLine(chunk.subarray(0, chunk.length - held.length))
  }
  if (lines < least) throw new Error(`The export has ${lines} of the ${least} reports counted before it`)
  if (withEnd) yield `${JSON.stringify({ end: { reports: lines, next } })}\n`
}
