import { Counter, Gauge, Histogram } from 'prom-client'
import { createProgramMetrics } from '../http/registry.ts'

export type WorkerMetrics = ReturnType<typeof createWorkerMetrics>

export function createWorkerMetrics() {
  const program = createProgramMetrics([])
  const registers = [program.registry]
  const scans = new Counter({
    name: 'worker_scans_total',
    help: 'Stored page scans by failure reason; "complete" if there is none',
    labelNames: ['reason'],
    registers,
  })
  scans.inc({ reason: 'complete' }, 0)
  const captures = new Counter({
    name: 'worker_captures_total',
    help: 'Finished attempts to store a copy of a script, by state',
    labelNames: ['state'],
    registers,
  })
  captures.inc({ state: 'captured' }, 0)
  const passSeconds = new Histogram({
    name: 'worker_pass_seconds',
    help: 'Duration of a pass over the pages that are due',
    buckets: [0.1, 1, 10, 60, 600, 3_600, 14_400],
    registers,
  })
  const deliveries = new Counter({
    name: 'worker_alert_deliveries_total',
    help: 'Alerts that were delivered, rejected or dropped, by destination type',
    labelNames: ['type', 'outcome'],
    registers,
  })
  const oldestAlert = new Gauge({
    name: 'worker_oldest_unsent_alert_seconds',
    help: 'Age of the oldest unsent alert; 0 if there is none or another worker sends',
    registers,
  })
  const leaseHeld = new Gauge({ name: 'worker_lease_held', help: '1 while this worker scans, otherwise 0', registers })
  return {
    ...program,
    observe: program.observeRequest,
    countScan: (reason: string) => scans.inc({ reason }),
    countCapture: (state: string) => captures.inc({ state }),
    startPass: () => passSeconds.startTimer(),
    countDelivery: (type: string, outcome: string) => deliveries.inc({ type, outcome }),
    setOldestAlert: (milliseconds: number) => oldestAlert.set(milliseconds / 1000),
    holdLease: (held: boolean) => leaseHeld.set(held ? 1 : 0),
  }
}
