/** @module What a power cut leaves of a log's folder: bytes and names that a sync had put on the disk, and parts of others. */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { segmentFiles } from '../../app/collector/open-segment.ts'
import type { seeded } from '../../fixtures/seeded.ts'

interface TracedFile {
  /** Names, the last one now; the disk has one from `lasting` on. */
  names: string[]
  lasting: number
  /** Bytes that a sync put on the disk. */
  synced: Buffer
  written: Buffer
  /** Linux calls its pages clean after a failed sync, and a later one succeeds without them. */
  hasFailed: boolean
}

/** @param failing called before each call, which fails where it returns true. */
export function tracedDisk(folder: string, failing: (call: string) => boolean = () => false) {
  const files: TracedFile[] = []
  const named = (path: string) => files.find(({ names }) => names.at(-1) === basename(path))
  const failIf = (call: string) => {
    if (failing(call)) throw Object.assign(new Error(`${call} fails`), { code: 'EIO' })
  }
  const traced: typeof segmentFiles = {
    open: (async (path: string, ...given: [string, number]) => {
      failIf('open')
      const handle = await open(path, ...given)
      const empty = Buffer.alloc(0)
      const file: TracedFile = {
        names: ['', basename(path)],
        lasting: 0,
        synced: empty,
        written: empty,
        hasFailed: false,
      }
      files.push(file)
      const [write, truncate] = [handle.write.bind(handle), handle.truncate.bind(handle)]
      return Object.assign(handle, {
        async write(bytes: Buffer, ...rest: [number, number, number]) {
          failIf('write')
          const result = await write(bytes, ...rest)
          file.written = readFileSync(join(folder, file.names.at(-1) ?? ''))
          return result
        },
        async truncate(length: number) {
          await truncate(length)
          file.written = file.written.subarray(0, length)
        },
        async datasync() {
          const { written } = file
          try {
            failIf('datasync')
          } catch (error) {
            file.hasFailed = true
            throw error
          }
          // Let writes of others come between.
          await new Promise((resolve) => setImmediate(resolve))
          if (!file.hasFailed) file.synced = written
        },
      })
    }) as typeof open,
    async rename(from, to) {
      const file = named(String(from))
      await rename(from, to)
      file?.names.push(basename(String(to)))
    },
    async rm(path, options) {
      const file = named(String(path))
      await rm(path, options)
      file?.names.push('')
    },
    async syncFolder() {
      failIf('syncFolder')
      for (const file of files) file.lasting = file.names.length - 1
    },
  }

  /** Writes what the disk can have into another folder. */
  function cut(to: string, random: ReturnType<typeof seeded>): void {
    mkdirSync(to)
    for (const { names, lasting, synced, written } of files) {
      const name = random.pick(names.slice(lasting))
      if (name === '') continue
      const rest = written.subarray(synced.length)
      const kept = Buffer.from(rest.subarray(0, random.below(rest.length + 1)))
      // Pages reach the disk in any order.
      if (kept.length > 0 && random.chance(0.3)) kept.fill(0, random.below(kept.length))
      writeFileSync(join(to, name), Buffer.concat([synced, kept]))
    }
  }

  return { files: traced, cut }
}
