import type { LogImportSteps } from '../../clickhouse/log-import-steps.ts'
import { type PostTimeouts, postTimeouts } from '../../schema/durations.ts'
import type { ReportWriter } from '../import/reports/clickhouse-report-writer.ts'
import type { RestoreBlocks } from './restore-blocks.ts'
import type { SettleInsert } from './settle-insert.ts'
import type { Spool } from './spool.ts'

export interface BlockSenderOptions {
  readonly writer: ReportWriter
  readonly logSteps: LogImportSteps
  readonly settle: SettleInsert
  readonly spool: Spool
  /** Restores blocks after a power cut of ClickHouse's machine. Without it none is restored. */
  readonly restore?: RestoreBlocks | undefined
  readonly timeouts?: Partial<SenderTimeouts>
  /** Called when a block cannot be sent, and without an error when ClickHouse takes writes again. */
  readonly onOutage?: (error: Error | undefined) => void
  /** Called with the token of a block that is set aside: ClickHouse refuses it, which only a defect of ours makes it do. */
  readonly onRefusal?: (token: string, error: Error) => void
  /** Called with the token of a block that is set aside because it cannot be read. */
  readonly onUnreadable?: (token: string) => void
}

/** Those of `postTimeouts` include retries. */
interface SenderTimeouts extends Omit<PostTimeouts, 'queueTimeoutMs'> {
  /** Of each part of a block that is sent again, for which no post waits. */
  readonly recoveryTimeoutMs: number
  readonly recoveryPauseMs: number
  /** Before the first retry. By default all waits are 5 s, in which an engine that died restarts. */
  readonly retryPauseMs: number
  /** Pause between two reads of the boot of ClickHouse's machine. */
  readonly bootPollMs: number
}

export const senderTimeouts: SenderTimeouts = {
  ...postTimeouts,
  recoveryTimeoutMs: 300_000,
  recoveryPauseMs: 250,
  retryPauseMs: 100,
  bootPollMs: 5_000,
}
