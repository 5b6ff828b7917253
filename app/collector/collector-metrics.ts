import { Counter, Gauge, Histogram } from 'prom-client'
import { createProgramMetrics } from '../http/registry.ts'
import type { Sent } from './block-sender.ts'
import type { DropReason } from './post-gate.ts'
import type { Outcome } from './read-reports.ts'
import { isSetAside, listSegments } from './segment-folder.ts'

export type CollectorMetrics = ReturnType<typeof createCollectorMetrics>

/** State of the log, read at each scrape. */
export interface LogState {
  readonly folder: string
  bytes(): number
  reports(): number
  /** Milliseconds since the epoch. */
  oldestAt(): number | undefined
}

/** Prometheus metrics of the collector. Labels never contain a client's text. */
export function createCollectorMetrics(log: LogState) {
  const program = createProgramMetrics(['site'])
  const registers = [program.registry]
  const reports = new Counter({
    name: 'collector_reports_total',
    help: 'Reports by type and outcome; accepted reports are in the log before their post gets 204',
    labelNames: ['type', 'outcome'],
    registers,
  })
  const flushReports = new Histogram({
    name: 'collector_block_reports',
    help: 'Reports of an inserted block',
    buckets: [1, 10, 100, 1_000, 5_000, 10_000, 20_000, 65_535],
    registers,
  })
  const flushSeconds = new Histogram({
    name: 'collector_flush_seconds',
    help: 'Time to insert a block',
    buckets: [0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5],
    registers,
  })
  const restored = new Counter({
    name: 'collector_restored_reports_total',
    help: 'Reports that ClickHouse lost in a power cut or on a full disk and that were stored again',
    registers,
  })
  const stored = new Counter({
    name: 'collector_stored_reports_total',
    help: 'Reports stored in ClickHouse',
    registers,
  })
  const dropped = new Counter({
    name: 'collector_dropped_reports_total',
    help: 'Reports of the log that are not stored: their site was deleted, their token rotated away, or ClickHouse refuses a value',
    labelNames: ['reason'],
    registers,
  })
  function addGauge(name: string, help: string, value: () => number | Promise<number>): void {
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        this.set(await value())
      },
    })
  }
  addGauge('collector_waiting_bytes', 'Bytes of the log that wait to be stored', log.bytes)
  addGauge('collector_waiting_reports', 'Reports of the log that wait to be stored', log.reports)
  addGauge('collector_oldest_block_seconds', 'Age of the oldest report waiting to be stored; 0 if none', () => {
    const oldestAt = log.oldestAt()
    return oldestAt === undefined ? 0 : Math.max(0, Date.now() - oldestAt) / 1000
  })
  addGauge('collector_blocks_set_aside', 'Blocks that are not sent: refused by ClickHouse, or unreadable', async () => {
    return (await listSegments(log.folder)).filter(isSetAside).length
  })
  return {
    ...program,
    observe: program.observeRequest,
    countReport: (type: string, outcome: Outcome) => reports.inc({ type, outcome }),
    countRestored: (count: number) => restored.inc(count),
    countDropped: (reason: DropReason | 'refused', count: number) => dropped.inc({ reason }, count),
    observeSent({ reports, startedAt, endedAt }: Sent) {
      stored.inc(reports)
      flushReports.observe(reports)
      flushSeconds.observe((endedAt - startedAt) / 1000)
    },
  }
}

/** Operation of posts in the log. */
export const reportOperation = 'reports.collect'
