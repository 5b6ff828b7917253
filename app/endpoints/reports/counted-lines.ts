const lineEnd = 0x0a

/** Passes lines on, and the line of their number at the end. Throws if there are fewer than were counted ahead. */
export async function* countedLines(
  bytes: AsyncIterable<Buffer>,
  least: number,
  withEnd: boolean,
): AsyncGenerator<Buffer | string> {
  let lines = 0
  for await (const chunk of bytes) {
    for (let at = chunk.indexOf(lineEnd); at >= 0; at = chunk.indexOf(lineEnd, at + 1)) lines++
    yield chunk
  }
  if (lines < least) throw new Error(`The export has ${lines} reports of ${least} that were counted ahead`)
  if (withEnd) yield `${JSON.stringify({ end: { reports: lines } })}\n`
}
