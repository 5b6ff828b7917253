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

const head = z.object({ stepToken: z.string(), tenantIds: z.array(z.string()), bytes: z.int() })

const suffix = '.block'
/** Of a block that is being written. */
const unfinishedSuffix = `${suffix}.new`
const lineEnd = 0x0a

export type Spool = Awaited<ReturnType<typeof openSpool>>

/** @param folder of one collector; it is made where it is missing. */
export async function openSpool(folder: string) {
  await mkdir(folder, { recursive: true })
  const files = async (end: string) => (await readdir(folder)).filter((name) => name.endsWith(end))
  for (const name of await files(unfinishedSuffix)) await rm(join(folder, name), { force: true })
  const pathOf = (token: string) => join(folder, `${token}${suffix}`)
  return {
    async save({ token, stepToken, tenantIds, rows }: SpooledBlock): Promise<void> {
      const unfinished = join(folder, `${token}${unfinishedSuffix}`)
      const line = `${JSON.stringify({ stepToken, tenantIds, bytes: rows.length })}\n`
      await writeFile(unfinished, [line, rows], { mode: 0o600 })
      await rename(unfinished, pathOf(token))
    },
    remove: (token: string) => rm(pathOf(token), { force: true }),
    /** Keeps a block that ClickHouse refuses, for people; it is not sent again. */
    setAside: (token: string) => rename(pathOf(token), join(folder, `${token}.refused`)),
    /** Tokens of its blocks. */
    list: async () => (await files(suffix)).map((name) => name.slice(0, -suffix.length)),
    /** Undefined for a block that a power failure cut off. */
    async load(token: string): Promise<SpooledBlock | undefined> {
      const file = await readFile(pathOf(token))
      const end = file.indexOf(lineEnd)
      const rows = file.subarray(end + 1)
      try {
        const { stepToken, tenantIds, bytes } = head.parse(JSON.parse(file.toString('utf8', 0, end)))
        return rows.length === bytes ? { token, stepToken, tenantIds, rows } : undefined
      } catch {
        return undefined
      }
    },
  }
}
