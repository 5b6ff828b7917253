import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { createProgramMetrics } from '../http/registry.ts'
import { isSetAside, listBlockFiles } from './block-files.ts'
import type { Outcome } from './read-reports.ts'
import type { Flush } from './report-store.ts'

export type CollectorMetrics = ReturnType<typeof createCollectorMetrics>

/**
 * Prometheus metrics of the collector. Labels are names of ours, never a sender's text.
 * @param dataDir folder of its blocks; without it they are not counted.
 */
export function createCollectorMetrics(waitingBytes: () => number, dataDir?: string) {
  const program = createProgramMetrics(['site'])
  const registers = [program.registry]
  const reports = new Counter({
    name: 'collector_reports_total',
    help: 'Reports by type and outcome; accepted reports are stored before their post gets 204',
    labelNames: ['type', 'outcome'],
    registers,
  })
  const flushReports = new Histogram({
    name: 'collector_block_reports',
    help: 'Reports of an inserted block',
    buckets: [1, 10, 100, 1_000, 5_000, 10_000, 20_000],
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
  new Gauge({
    name: 'collector_waiting_bytes',
    help: 'Bytes of rows waiting to be stored',
    registers,
    collect() {
      this.set(waitingBytes())
    },
  })
  if (dataDir !== undefined) addBlockMetrics(program.registry, dataDir)
  return {
    ...program,
    observe: program.observeRequest,
    countReport: (type: string, outcome: Outcome) => reports.inc({ type, outcome }),
    countRestored: (count: number) => restored.inc(count),
    observeFlush(flush: Flush) {
      flushReports.observe(flush.reports)
      flushSeconds.observe(flush.milliseconds / 1000)
    },
  }
}

function addBlockMetrics(registry: Registry, dataDir: string): void {
  const registers = [registry]
  new Gauge({
    name: 'collector_blocks_set_aside',
    help: 'Blocks that are not sent again: refused by ClickHouse or unreadable',
    registers,
    async collect() {
      this.set((await listBlockFiles(dataDir)).filter(isSetAside).length)
    },
  })
  new Gauge({
    name: 'collector_oldest_block_seconds',
    help: 'Age of the oldest block that is still being sent; 0 for none',
    registers,
    async collect() {
      const oldest = (await listBlockFiles(dataDir)).find((file) => !isSetAside(file))
      this.set(oldest ? Math.max(0, Date.now() - oldest.savedAt.getTime()) / 1000 : 0)
    },
  })
}

/** In the log. */
export const reportOperation = 'reports.collect'
