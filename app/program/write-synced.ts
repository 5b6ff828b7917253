import { open, rename, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Writes and syncs the unfinished file, renames it, and syncs the folder. */
export async function writeSynced(
  unfinished: string,
  path: string,
  content: readonly (string | Buffer)[],
): Promise<void> {
  const file = await open(unfinished, 'w', 0o600)
  try {
    for (const part of content) await file.writeFile(part)
    await file.datasync()
  } finally {
    await file.close()
  }
  await rename(unfinished, path)
  await syncFolder(dirname(path))
}

export async function syncFolder(folder: string): Promise<void> {
  const opened = await open(folder, 'r')
  try {
    await opened.sync()
  } finally {
    await opened.close()
  }
}

/** Type of a file system in memory, by Linux' statfs(2). */
const tmpfs = 0x01_02_19_94

/** Whether a restart of the machine empties the folder. */
export const isInMemory = async (folder: string): Promise<boolean> => (await statfs(folder)).type === tmpfs
