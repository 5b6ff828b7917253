import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'

/**
 * Blocks on disk while they are inserted: an insert that a crash cut off can be half stored, and is sent again.
 * Not synced to disk: it outlives its process, as ClickHouse's own parts do, and not a power failure.
 */

export interface SpooledBlock {
  /** Deduplication token of its insert. */
  readonly token: string
  /** Token of its steps in the import log. */
  readonly stepToken: string
  readonly tenantIds: readonly string[]
  /** Lines of JSONCompactEachRow. */
  readonly rows: Buffer
}

const head = z.object({ stepToken: z.string(), tenantIds: z.array(z.string()) })

const suffix = '.block'
const lineEnd = 0x0a

export type Spool = Awaited<ReturnType<typeof openSpool>>

/** @param folder of one collector; it is made where it is missing. */
export async function openSpool(folder: string) {
  await mkdir(folder, { recursive: true })
  const pathOf = (token: string) => join(folder, `${token}${suffix}`)
  return {
    async save({ token, stepToken, tenantIds, rows }: SpooledBlock): Promise<void> {
      const path = pathOf(token)
      await writeFile(`${path}.new`, [`${JSON.stringify({ stepToken, tenantIds })}\n`, rows], { mode: 0o600 })
      await rename(`${path}.new`, path)
    },
    remove: (token: string) => rm(pathOf(token), { force: true }),
    /** Tokens of blocks that a collector left. */
    async list(): Promise<string[]> {
      const names = await readdir(folder)
      return names.filter((name) => name.endsWith(suffix)).map((name) => name.slice(0, -suffix.length))
    },
    async load(token: string): Promise<SpooledBlock> {
      const bytes = await readFile(pathOf(token))
      const end = bytes.indexOf(lineEnd)
      return { token, ...head.parse(JSON.parse(bytes.toString('utf8', 0, end))), rows: bytes.subarray(end + 1) }
    },
  }
}
