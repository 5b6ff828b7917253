/** @module Segments that another process wrote: damaged bytes are set aside, and the rest is to be sent. */

import { readdir, rm, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { readSegment, type SegmentContent } from './segment-file.ts'
import { isWaiting, listSegments, type SegmentFile, type SegmentFolder, wholeOf } from './segment-folder.ts'
import type { SegmentList } from './segment-list.ts'

/** @param onDamage called with the token of a segment with bytes that cannot be read. */
export function createMender(store: SegmentFolder, onDamage: (token: string, bytes: number) => void) {
  /** Sets aside damaged bytes, and returns the rest to be sent. */
  async function mend(
    { token, state }: Pick<SegmentFile, 'token' | 'state'>,
    bytes: Buffer,
  ): Promise<SegmentContent | undefined> {
    const content = readSegment(bytes)
    if (!content) {
      // Without a complete head no post of an open segment was synced.
      if (state !== 'open') {
        onDamage(token, bytes.length)
        await store.writeBytes(token, 'unreadable', bytes)
      }
      await store.remove(token, state)
      return undefined
    }
    if (content.damage.length > 0) {
      const isTorn = state === 'open' && content.isTorn
      if (!isTorn) {
        onDamage(token, content.damage.length)
        await store.writeBytes(token, 'unreadable', content.damage)
      }
      await store.write(token, state, content)
      // Earlier attempts had other rows, so it is looked up by id, also by a later process.
      if (state === 'begun') await utimes(store.pathOf(token, state), 0, 0)
    }
    return content
  }

  /** Segments of earlier processes, which are not appended to. */
  async function takeLeft(add: SegmentList['addLeft']): Promise<void> {
    const { folder } = store
    for (const name of await readdir(folder)) if (name.endsWith('.new')) await rm(join(folder, name), { force: true })
    const files = (await listSegments(folder)).filter(isWaiting)
    const tokens = new Set(files.map(({ token }) => token))
    for (const file of files) {
      const { token, state, changedAt } = file
      // A part of a segment whose split was interrupted.
      if (tokens.has(wholeOf(token))) {
        await store.remove(token, state)
        continue
      }
      const bytes = await store.read(token)
      const content = await mend(file, bytes)
      if (!content) continue
      if (content.records.length === 0) {
        await store.remove(token, state)
        continue
      }
      if (state === 'open') await store.seal(token)
      const begunAt = content.damage.length > 0 ? 0 : changedAt
      add(token, content, state === 'begun' ? begunAt : undefined)
    }
  }

  return { mend, takeLeft }
}
