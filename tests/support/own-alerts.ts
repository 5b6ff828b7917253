import { pino } from 'pino'
import { readConfig } from '../../app/config.ts'
import { startWorker } from '../../app/worker/start-worker.ts'
import { connectPatiently } from './patience.ts'

export interface OwnAlerts {
  readonly writeUrl: string
  readonly environment: Readonly<Record<string, string>>
  readonly leaseMs: number
  /** Of its clock, from an epoch on that its like have too; so pauses of minutes are seconds. */
  readonly clock?: { readonly epoch: number; readonly speed: number }
}

// A worker that only alerts, for tests that kill or freeze it: its settings are JSON in the one argument.
const [, , given = ''] = process.argv
const { writeUrl, environment, leaseMs, clock = { epoch: 0, speed: 1 } } = JSON.parse(given) as OwnAlerts
const config = readConfig({ ...environment, SCAN_EVERY_HOURS: '0' })
await startWorker(config, connectPatiently(writeUrl), pino({ level: 'error' }), {
  lookEveryMs: 250,
  alerts: { now: () => new Date(clock.epoch + (Date.now() - clock.epoch) * clock.speed) },
  lease: { expiresAfterMs: leaseMs, renewEveryMs: leaseMs / 5, pollMs: 100 },
})
process.stdout.write('started\n')
