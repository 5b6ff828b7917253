import { open } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import type { RejectedPlace } from '../import/rejected-file.ts'

/** Lines to import. */
export interface ImportSource {
  readonly stream: Readable
  /** In bytes; undefined where it cannot be known. */
  readonly size: number | undefined
  readonly rejected: RejectedPlace
}

const pieceBytes = 1024 * 1024

/**
 * Opens a file, or stdin for `-`. Throws an Error of one line when the file cannot be read.
 * @param folder what a relative path starts from.
 */
export async function openImportSource(file: string, stdin: Readable, folder: string): Promise<ImportSource> {
  if (file === '-') {
    return {
      stream: stdin,
      size: undefined,
      rejected: { path: resolve(folder, 'stdin.rejected.ndjson'), isOwn: false },
    }
  }
  const path = resolve(folder, file)
  const handle = await open(path).catch((error: Error) => {
    throw new Error(`FILE cannot be read: ${error.message}`)
  })
  const found = await handle.stat()
  if (found.isDirectory()) {
    await handle.close()
    throw new Error(`FILE cannot be read: ${path} is a folder`)
  }
  const here = `${resolve(folder, basename(path))}.rejected.ndjson`
  return {
    stream: handle.createReadStream({ highWaterMark: pieceBytes }),
    size: found.isFile() ? found.size : undefined,
    // Beside a pipe of the shell, /dev/fd/63, nothing can be written.
    rejected: found.isFile()
      ? { path: `${path}.rejected.ndjson`, isOwn: true, otherwise: here }
      : { path: here, isOwn: false },
  }
}

/** The folder the caller stands in: npm runs its scripts in the package's folder, and names the caller's here. */
export function callersFolder(environment: NodeJS.ProcessEnv): string {
  const byNpm = environment.npm_lifecycle_event === 'cli' ? environment.INIT_CWD : undefined
  return byNpm ?? process.cwd()
}
