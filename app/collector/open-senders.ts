import type { Logger } from 'pino'
import { untilInStep } from '../../clickhouse/cluster/in-step.ts'
import type { Cluster } from '../../clickhouse/cluster/open-cluster.ts'
import { collectorTokenPrefix, logImportSteps } from '../../clickhouse/log-import-steps.ts'
import { pendingMigrations } from '../../clickhouse/migrate.ts'
import { readMigrations } from '../../clickhouse/migration-files.ts'
import { createBootReader, type ReadBoot } from '../../clickhouse/read-boot.ts'
import type { Database } from '../../queries/clickhouse/database.ts'
import { clickHouseReportWriter } from '../import/reports/clickhouse-report-writer.ts'
import { reasonOf } from '../program/log-outage.ts'
import { adoptBlocks } from './adopt-blocks.ts'
import { type BlockSenderOptions, createBlockSender } from './block-sender.ts'
import type { CollectorLog } from './collector-log.ts'
import type { CollectorMetrics } from './collector-metrics.ts'
import { logRestored } from './log-restored.ts'
import type { LogSenderOptions } from './log-sender.ts'
import { createPowerCutWatch } from './power-cut.ts'
import { createRestoreBlocks, type Restored } from './restore-blocks.ts'

export interface OpenSendersOptions {
  readonly segments: CollectorLog
  readonly database: Database
  readonly cluster: Cluster | undefined
  /** Id of the folder. */
  readonly id: string
  readonly log: Logger
  readonly metrics: CollectorMetrics
  readonly newValues: BlockSenderOptions['newValues']
  readonly readBoot: ReadBoot | undefined
  readonly timeouts: BlockSenderOptions['timeouts']
}

const bootUnknown =
  'ClickHouse does not show the uptime of its machine: reports that a power cut takes will not be restored'

/** On a cluster opens a sender for each shard, which uses no servers of other shards. */
export function openSenders(options: OpenSendersOptions): LogSenderOptions['openSender'] {
  const { segments, database, cluster, id, log, metrics, newValues, readBoot, timeouts } = options
  const onRestored = logRestored(log, metrics)
  let isMigrated = false
  let isAdopted = false

  async function requireMigrations(): Promise<void> {
    if (isMigrated) return
    const [first] = await pendingMigrations(database, await readMigrations())
    if (first) throw new Error(`The database lacks ${first}: run "migrate" as the writer`)
    isMigrated = true
  }

  return (shard, { onIdle, onSent }) => {
    const own = cluster?.entry(shard) ?? database
    const name = cluster ? `ClickHouse shard ${shard}` : 'ClickHouse'
    const stepToken = `${collectorTokenPrefix}${id}${cluster ? ` ${shard}` : ''}`
    const logSteps = logImportSteps(own)
    const writer = cluster
      ? clickHouseReportWriter(own, (signal) => untilInStep(cluster, shard, signal))
      : clickHouseReportWriter(own)
    let opened = cluster
    async function local(signal: AbortSignal) {
      if (!cluster || !opened) return own
      await untilInStep(cluster, shard, signal)
      const isKnown = ({ number }: { readonly number: number }) => number === shard
      // It can have started before the shard's servers.
      if (!opened.shards.some(isKnown)) opened = await cluster.reopen()
      const found = opened.shards.find(isKnown)
      if (!found) throw new Error(`No server of shard ${shard} responds`)
      return found.database
    }
    const restore = createRestoreBlocks({ database: own, local, writer, logSteps })
    // A replica fetches its parts from the others, so no sent block is restored on a cluster.
    const powerCut = cluster
      ? undefined
      : createPowerCutWatch({
          log: segments,
          restore,
          stepToken,
          readBoot: readBoot ?? createBootReader(database, () => log.warn(bootUnknown)),
          async onRestored(restored: Restored) {
            await sender.setAside(restored)
            log.warn("ClickHouse's machine restarted: checked the blocks sent in the last ten minutes")
            onRestored(restored)
          },
        })
    const sender = createBlockSender({
      log: segments,
      database: own,
      writer,
      logSteps,
      stepToken,
      restore,
      newValues,
      recountsRepeated: cluster !== undefined,
      timeouts,
      onIdle,
      onRestored,
      async prepare(signal) {
        await requireMigrations()
        if (!isAdopted) await adoptBlocks(segments, database, logSteps, signal)
        isAdopted = true
        if (powerCut) await powerCut.check(signal)
        else await segments.store.removeSent(0)
      },
      boot: () => powerCut?.boot() ?? '',
      onSent(sent) {
        metrics.observeSent(sent)
        onSent(sent)
      },
      onDropped: metrics.countDropped,
      onOutage: (error) =>
        error
          ? log.error({ reason: reasonOf(error) }, `${name} does not accept reports; they wait in the log`)
          : log.info(`${name} accepts reports again`),
      onRefusal: (token, reports) =>
        log.error({ token, reports }, 'ClickHouse refused a value in these reports; they are set aside'),
    })
    return sender
  }
}
