import { statfs } from 'node:fs/promises'

const pollMs = 1_000
/** Share of the disk that stays free, and its maximum in bytes. */
const [reservedShare, mostReservedBytes] = [0.05, 5 * 1024 ** 3]

/**
 * Returns whether the free space of a folder's disk is above its reserve, read at most once per second.
 * @param makeRoom called once it is not.
 */
export function createRoom(folder: string, makeRoom: () => Promise<void>) {
  let checkedAt = -Infinity
  let hasRoom = true

  async function measure(): Promise<boolean> {
    const { blocks, bavail, bsize } = await statfs(folder)
    return bavail * bsize > Math.min(blocks * bsize * reservedShare, mostReservedBytes)
  }

  return {
    hasRoom: () => hasRoom,
    /** Rejects if the folder cannot be read. */
    async check(): Promise<void> {
      if (performance.now() - checkedAt < pollMs) return
      checkedAt = performance.now()
      let found = await measure()
      if (!found) {
        await makeRoom()
        found = await measure()
      }
      hasRoom = found
    },
  }
}
