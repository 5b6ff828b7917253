/** @module The frame of every import: opens its file, shows progress, writes rejected lines, and stops at Ctrl-C. */

import { createRejectedFile } from '../../import/ndjson/rejected-file.ts'
import type { LineStreams } from '../../import/reports/import-files.ts'
import type { DatabaseAccess } from '../../program/open-database.ts'
import { withProgress } from '../../program/show-progress.ts'
import { onStopSignal } from '../../program/stop-signal.ts'
import type { Context } from '../command/context.ts'
import { type ImportSource, openImportSource } from './import-source.ts'

export const rejectedNote = [
  'Rejected parts of a line are written to FILE.rejected.ndjson, with the line number and the reason in "rejected"; the import',
  'continues, and the exit code is 1. If FILE is a pipe or its folder is not writable, the file is in the current folder',
  '(stdin.rejected.ndjson, stdin.2.rejected.ndjson ...). You can import it after fixing the cause: "rejected" is ignored. Text',
  'that is not JSON is in "body" and is rejected again.',
] as const

interface ImportContext extends LineStreams {
  readonly signal: AbortSignal
}

/** Runs the import between the opening of its rejected file and its result. */
type RunLines = <Result extends { readonly rejected: number }>(
  importLines: (given: ImportContext) => Promise<Result>,
) => Promise<void>

interface SourceState {
  readonly signal: AbortSignal
  readonly isLive: boolean
}

/**
 * @param file FILE, and whether it is followed: a followed file's import has no other end than Ctrl-C.
 * @param task checks the options before it calls `run`, which removes the rejected file of an earlier import.
 */
export async function runImport(
  context: Context,
  { path, follow = false }: { readonly path: string; readonly follow?: boolean | undefined },
  task: (database: DatabaseAccess, run: RunLines, state: SourceState) => Promise<void>,
): Promise<void> {
  const source = await openImportSource(path, { ...context, follow })
  const stopping = untilStopped(context, source)
  try {
    const { files, isLive } = source
    const { signal } = stopping
    const run: RunLines = async (importLines) => {
      const result = await withOutput(context, source, (output) => importLines({ files, signal, ...output }))
      if (!follow) signal.throwIfAborted()
      context.finish(result, result.rejected > 0 ? 1 : 0)
    }
    await task(await context.database(), run, { signal, isLive })
  } catch (error) {
    if (stopping.signal.aborted) throw new Error('Stopped. Run the same command again to continue')
    throw error
  } finally {
    stopping.end()
    source.close()
  }
}

async function withOutput<Result>(
  context: Context,
  { size, rejected: target }: ImportSource,
  importLines: (output: Pick<ImportContext, 'onReject' | 'showRead'>) => Promise<Result>,
): Promise<Result> {
  const rejected = await createRejectedFile(target)
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
    if (path !== undefined) context.log(`Rejected lines with reasons: ${path}`)
  }
}

function untilStopped(context: Context, source: ImportSource) {
  const controller = new AbortController()
  const end = onStopSignal(() => {
    context.log('Stopping after storing the lines read so far; press Ctrl-C again to stop at once')
    controller.abort()
    // A silent pipe would be waited for; its lines so far are a batch.
    source.close()
  })
  return { signal: controller.signal, end }
}
