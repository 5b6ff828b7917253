import { createRejectedFile } from '../import/ndjson/rejected-file.ts'
import type { Rejection } from '../import/ndjson/rejected-line.ts'
import type { DatabaseAccess } from '../server/open-database.ts'
import { onStopSignal } from '../server/stop-signal.ts'
import type { Context } from './context.ts'
import { type ImportSource, openImportSource } from './import-source.ts'
import { withProgress } from './show-progress.ts'

/** What the help of every import says of its end. */
export const rejectedNote = [
  'What cannot be stored of a line goes to FILE.rejected.ndjson, or in the current folder where FILE is a pipe',
  '(stdin.rejected.ndjson, stdin.2.rejected.ndjson ...) or lies where nothing can be written, and stops nothing; the exit',
  'code is then 1. Each of its lines can be imported as it is: its number and the reason are in "rejected", which is',
  'ignored; a text that is no JSON is a "body" of text, which is rejected again.',
] as const

/** What an import works with. */
export interface GivenImport {
  readonly source: ImportSource['pieces']
  readonly signal: AbortSignal
  readonly onReject: (rejection: Rejection) => Promise<void>
  /** Shows how far it is: `3,000 reports, 900/s`. */
  showRead(bytesRead: number, count: number, things: string): void
}

/**
 * Runs an import of a file: opens it, shows how far it is, keeps what is rejected, and ends it at Ctrl-C.
 * @param prepare checks what the import needs, and gives the import itself; until then nothing is changed.
 */
export async function runImport<Result extends { readonly rejected: number }>(
  context: Context,
  path: string,
  prepare: (engine: DatabaseAccess) => Promise<(given: GivenImport) => Promise<Result>>,
): Promise<void> {
  const source = await openImportSource(path, context.stdin, context.folder)
  const stopping = untilStopped(context, source)
  try {
    const importLines = await prepare(await context.engine())
    const given = { source: source.pieces, signal: stopping.signal }
    const result = await withRejected(context, source, (shown) => importLines({ ...given, ...shown }))
    context.finish(result, result.rejected > 0 ? 1 : 0)
  } catch (error) {
    if (stopping.signal.aborted) throw new Error('Stopped. Run the same command again: it goes on where it was')
    throw error
  } finally {
    stopping.end()
    source.close()
  }
}

type Shown = Pick<GivenImport, 'onReject' | 'showRead'>

/** Shows how far an import is, and keeps what it rejects. */
async function withRejected<Result>(
  context: Context,
  { size, rejected: place }: ImportSource,
  importLines: (shown: Shown) => Promise<Result>,
): Promise<Result> {
  const rejected = await createRejectedFile(place)
  const started = performance.now()
  try {
    return await withProgress(context.stderr, size, (update) =>
      importLines({
        onReject: (rejection) => rejected.write(rejection),
        showRead(bytesRead, count, things) {
          const rate = Math.round((count * 1000) / Math.max(1, performance.now() - started))
          update(bytesRead, `${count.toLocaleString('en')} ${things}, ${rate.toLocaleString('en')}/s`)
        },
      }),
    )
  } finally {
    const path = await rejected.close()
    if (path !== undefined) context.say(`What was rejected, and why: ${path}`)
  }
}

/** Ctrl-C ends the import after the batch under way. */
function untilStopped(context: Context, source: ImportSource) {
  const controller = new AbortController()
  const end = onStopSignal(() => {
    context.say('Stopping after the batch under way; press Ctrl-C again to stop at once')
    controller.abort()
    // A pipe that is silent would be waited for.
    source.close()
  })
  return { signal: controller.signal, end }
}
