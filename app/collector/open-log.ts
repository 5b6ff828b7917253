/** @module The log of a folder, with its sites and senders. */

import { randomUUID } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Cluster } from '../../clickhouse/cluster/open-cluster.ts'
import { ownFolder } from '../../clickhouse/engine/folder-owner.ts'
import type { ReadBoot } from '../../clickhouse/read-boot.ts'
import type { Database } from '../../queries/clickhouse/database.ts'
import type { Config } from '../config.ts'
import { createNewValues } from '../import/reports/new-values.ts'
import { reasonOf } from '../program/log-outage.ts'
import { isInMemory, writeSynced } from '../program/write-synced.ts'
import type { SenderTimeouts } from './block-sender.ts'
import { openCollectorLog } from './collector-log.ts'
import { createCollectorMetrics } from './collector-metrics.ts'
import { type BlockLimits, createLogSender } from './log-sender.ts'
import { openSenders } from './open-senders.ts'
import { reportOldest } from './report-oldest.ts'
import { logFolder } from './segment-folder.ts'
import { openSites } from './sites.ts'

export interface LogOptions {
  readonly cluster?: Cluster | undefined
  readonly siteTtlMs?: number | undefined
  /** Boot of ClickHouse's machine; read from ClickHouse by default. */
  readonly readBoot?: ReadBoot | undefined
  readonly blocks?: { readonly timeouts?: Partial<SenderTimeouts>; readonly limits?: Partial<BlockLimits> } | undefined
}

export type LogConfig = Pick<Config, 'DATA_DIR' | 'COLLECTOR_LOG_BYTES'>

/** Pause between two reads of the boot of ClickHouse's machine. */
const bootPollMs = 5_000

/** Throws if a collector runs on the folder. */
export async function openLog(
  config: LogConfig,
  database: Database,
  log: Logger,
  { cluster, siteTtlMs, readBoot, blocks }: LogOptions = {},
) {
  const folder = logFolder(config.DATA_DIR)
  await mkdir(folder, { recursive: true })
  const release = await ownFolder(folder, 'a collector runs on it; each has a DATA_DIR of its own')
  if (await isInMemory(folder))
    log.warn({ folder }, 'The log is on tmpfs: a restart of the machine loses accepted reports')
  try {
    const segments = await openCollectorLog({
      folder,
      limits: { logBytes: config.COLLECTOR_LOG_BYTES },
      onFailure: (error) =>
        error
          ? log.error({ reason: reasonOf(error) }, 'Cannot write to the log (DATA_DIR/collector)')
          : log.info('Writes to the log succeed again'),
      onDamage: (token, bytes) => log.error({ token, bytes }, 'A segment is damaged; its damaged bytes are set aside'),
    })
    const metrics = createCollectorMetrics({ folder, ...segments })
    const sites = await openSites({
      read: (query) => database.read(query),
      folder,
      isCluster: cluster !== undefined,
      ttlMs: siteTtlMs,
    })
    const id = await readId(folder)
    const newValues = createNewValues()
    const timeouts = blocks?.timeouts
    const sender = createLogSender({
      log: segments,
      isKnown: newValues.isKnown,
      limits: blocks?.limits,
      shardOf: cluster && sites.shardOf,
      openSender: openSenders({ segments, database, cluster, id, log, metrics, newValues, readBoot, timeouts }),
    })
    sender.start(cluster?.shardCount ?? 1)
    const polling = setInterval(sender.suspect, bootPollMs).unref()
    const reporting = reportOldest({ database, id, oldestAt: segments.oldestAt })
    async function close(): Promise<void> {
      clearInterval(polling)
      sites.close()
      await sender.close()
      await reporting.close()
      await segments.close()
      await release()
    }
    return { segments, metrics, sites, sender, close }
  } catch (error) {
    await release()
    throw error
  }
}

/** Id of the folder, for its steps in the import log. */
async function readId(folder: string): Promise<string> {
  const path = join(folder, 'id')
  const known = await readFile(path, 'utf8').catch(() => undefined)
  if (known) return known
  const id = randomUUID()
  await writeSynced(`${path}.new`, path, [id])
  return id
}
