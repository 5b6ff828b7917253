/** @module Converts the folder of release 0.2.0: its blocks become segments, which are looked up by id. */

import { readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { LogImportSteps } from '../../clickhouse/log-import-steps.ts'
import type { Database } from '../../queries/clickhouse/database.ts'
import { groupBy } from '../../schema/rules/group-by.ts'
import { blockColumns } from '../import/reports/insert-block.ts'
import { readInsertedRows, toInsertBytes } from '../import/reports/inserted-rows.ts'
import type { CollectorLog } from './collector-log.ts'
import { readStoredIds } from './restore-blocks.ts'
import type { SegmentContent } from './segment-file.ts'

interface OldBlock {
  readonly stepToken: string
  readonly tenantIds: readonly string[]
  readonly content: SegmentContent
}

const head = z.object({ stepToken: z.string(), tenantIds: z.array(z.string()), bytes: z.int() })
const lineEnd = 0x0a
const fileName = /^([\w-]+)\.(block|withdrawn)$/

/** Undefined for a file that is not a complete block. */
export async function readOldBlock(path: string): Promise<OldBlock | undefined> {
  const file = await readFile(path)
  const end = file.indexOf(lineEnd)
  try {
    const { stepToken, tenantIds, bytes } = head.parse(JSON.parse(file.toString('utf8', 0, end)))
    const lines = file.subarray(end + 1)
    if (lines.length !== bytes) return undefined
    const records = [...groupBy(readInsertedRows(lines), ({ siteId }) => siteId).values()].map((rows) => {
      const { tenantId = '', siteId = '' } = rows[0] ?? {}
      const receivedAt = Math.min(...rows.map((row) => row.receivedAt))
      return { tenantId, siteId, receivedAt, tokenHash: '', reports: rows.length, lines: toInsertBytes(rows) }
    })
    return { stepToken, tenantIds, content: { columns: blockColumns, records, damage: Buffer.alloc(0), isTorn: false } }
  } catch {
    return undefined
  }
}

/** @param folder of the log, beside which the folder of stored blocks is. */
export async function adoptBlocks(
  { store, add }: Pick<CollectorLog, 'store' | 'add'>,
  database: Pick<Database, 'read'>,
  logSteps: LogImportSteps,
  signal: AbortSignal,
): Promise<void> {
  const { folder } = store
  const shards = (await readdir(folder)).filter((name) => /^shard-\d+$/.test(name))
  for (const from of [folder, ...shards.map((name) => join(folder, name))]) {
    for (const name of await readdir(from)) {
      if (from !== folder && /\.(refused|unreadable)$/.test(name)) await rename(join(from, name), join(folder, name))
      const [, token = '', state] = fileName.exec(name) ?? []
      if (state === undefined || !(await stat(join(from, name))).isFile()) continue
      const block = await readOldBlock(join(from, name))
      if (!block) {
        await rename(join(from, name), join(folder, `${token}.unreadable`))
        continue
      }
      const rows = block.content.records.flatMap(({ lines }) => readInsertedRows(lines))
      const stored = state === 'withdrawn' ? await readStoredIds(database, rows, signal) : undefined
      const isWanted = rows.length > 0 && (!stored || rows.some(({ id }) => stored.has(id)))
      if (isWanted) {
        await store.write(token, 'begun', block.content)
        await utimes(store.pathOf(token, 'begun'), 0, 0)
        add(token, block.content, 0)
      }
      await rm(join(from, name))
      // Responses were not cached since its start; the new sender logs its own steps.
      await logSteps(block.tenantIds, block.stepToken, 'done', signal)
    }
  }
  const storedFolder = `${folder}-stored`
  for (const name of await readdir(storedFolder).catch(() => [])) {
    const path = join(storedFolder, name)
    if (name === 'boot') await rename(path, join(folder, 'boot'))
    const [, token = '', state] = fileName.exec(name) ?? []
    if (state === undefined) continue
    const [block, { atime, mtime }] = [await readOldBlock(path), await stat(path)]
    if (block) {
      await store.write(token, 'sent', block.content)
      await utimes(store.pathOf(token, 'sent'), atime, mtime)
    }
    await rm(path)
  }
  await rm(storedFolder, { recursive: true, force: true })
}
