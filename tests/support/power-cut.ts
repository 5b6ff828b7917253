/** @module What a power cut makes of ClickHouse's folder: each table as it was at one of the last moments, and its newest parts damaged. */

import { cp, link, mkdir, readdir, rm, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import type { seeded } from '../../fixtures/seeded.ts'

type Random = ReturnType<typeof seeded>

const isGone = (error: NodeJS.ErrnoException) => {
  if (error.code !== 'ENOENT') throw error
}

/** Folders of tables below `store`, `abc/abcdef…`. */
async function tablesOf(store: string): Promise<string[]> {
  const groups = await readdir(store)
  const tables = await Promise.all(
    groups.map(async (group) => (await readdir(join(store, group))).map((id) => join(group, id))),
  )
  return tables.flat()
}

/** Copies what the server changes and links what it does not: a part's files are written once. What goes meanwhile is left out. */
async function copyTree(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true })
  for (const entry of await readdir(from, { withFileTypes: true }).catch(() => [])) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) await copyTree(source, target)
    else if (from.includes('deduplication_logs')) await cp(source, target).catch(isGone)
    else await link(source, target).catch(isGone)
  }
}

/** Of the folder of a server that runs. */
export async function takeSnapshot(store: string, to: string): Promise<void> {
  for (const table of await tablesOf(store)) await copyTree(join(store, table), join(to, table))
}

const isPart = (name: string) => /_\d+_\d+_\d+(_\d+)?$/.test(name) && !name.startsWith('tmp')

/**
 * Puts the folder of a server that was killed together.
 * @param snapshots the oldest first: what it has is on the disk for good.
 */
export async function cutPower(
  store: string,
  snapshots: readonly [string, ...string[]],
  random: Random,
): Promise<void> {
  const [oldest] = snapshots
  for (const table of await tablesOf(oldest)) {
    const folder = join(store, table)
    const chosen = random.pick([undefined, ...snapshots])
    if (chosen !== undefined) {
      await rm(folder, { recursive: true })
      await copyTree(join(chosen, table), folder)
    }
    const lasting = new Set(await readdir(join(oldest, table)))
    for (const part of (await readdir(folder)).filter((name) => isPart(name) && !lasting.has(name))) {
      if (random.chance(0.15)) await rm(join(folder, part), { recursive: true })
      else if (random.chance(0.2)) await emptyFiles(join(folder, part), random)
    }
    const logs = join(folder, 'deduplication_logs')
    for (const log of await readdir(logs).catch(() => [])) {
      const { size } = await stat(join(logs, log))
      if (random.chance(0.5)) await cutFile(join(logs, log), random.below(size + 1))
    }
  }
}

async function emptyFiles(part: string, random: Random): Promise<void> {
  const all = random.chance(0.5)
  for (const file of await readdir(part)) if (all || random.chance(0.3)) await cutFile(join(part, file), 0)
}

/** A link to it keeps its bytes. */
async function cutFile(path: string, length: number): Promise<void> {
  const cut = `${path}.cut`
  await cp(path, cut)
  await truncate(cut, length)
  await rm(path)
  await cp(cut, path)
  await rm(cut)
}
