/**
 * @module Recovers reports that ClickHouse lost in a power cut of its machine: after a new boot, sent segments are
 * looked up by id.
 */

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isSameBoot, type ReadBoot } from '../../clickhouse/read-boot.ts'
import { untilVersionsExpire } from '../../clickhouse/rollups/until-versions-expire.ts'
import { writeSynced } from '../program/write-synced.ts'
import type { CollectorLog } from './collector-log.ts'
import type { RestoreBlocks, Restored } from './restore-blocks.ts'
import { readSegment } from './segment-file.ts'
import { listSegments, sentForMs } from './segment-folder.ts'

export interface PowerCutOptions {
  readonly log: CollectorLog
  readonly readBoot: ReadBoot
  readonly restore: RestoreBlocks
  readonly stepToken: string
  readonly onRestored: (restored: Restored) => void | Promise<void>
}

export function createPowerCutWatch({ log, readBoot, restore, stepToken, onRestored }: PowerCutOptions) {
  const { store } = log
  const path = join(store.folder, 'boot')
  let known = ''

  async function saveBoot(boot: string): Promise<void> {
    await writeSynced(`${path}.new`, path, [boot])
    known = boot
  }

  async function restoreSent(boot: string, signal: AbortSignal): Promise<void> {
    const sent = (await listSegments(store.folder)).filter(({ state }) => state === 'sent')
    const blocks = sent.map((file) => ({
      token: file.token,
      load: async () => readSegment(await readFile(file.path)),
    }))
    // A begun segment is looked up too, by its sender.
    for (const segment of log.segments()) if (segment.begunAt !== undefined) segment.begunAt = 0
    const restored = await restore(blocks, stepToken, { salt: boot, hasRestarted: true }, signal)
    // No older response is in a cache when the restore is reported as done.
    if (blocks.length > 0) await untilVersionsExpire(signal)
    await store.touchSent()
    await saveBoot(boot)
    await onRestored(restored)
  }

  return {
    boot: () => known,
    /** Restores after a new boot; removes no sent segment while ClickHouse does not respond. */
    async check(signal: AbortSignal): Promise<void> {
      const boot = await readBoot(signal)
      const last = await readFile(path, 'utf8').catch(() => undefined)
      if (boot === undefined || last === undefined || isSameBoot(boot, last)) {
        known = last ?? ''
        if (boot !== undefined && last === undefined) await saveBoot(boot)
        await store.removeSent(sentForMs)
        return
      }
      await restoreSent(boot, signal)
    },
  }
}
