import { pino } from 'pino'
import { readConfig } from '../../app/config.ts'
import { scanLimits } from '../../app/worker/scans/scan-settings.ts'
import { scanSettings } from '../../app/worker/scans/store-scan.ts'
import { startWorker } from '../../app/worker/start-worker.ts'
import { connectPatiently } from './patience.ts'

export interface OwnWorker {
  readonly writeUrl: string
  /** Whose pages it scans. */
  readonly tenantId: string
  readonly intervalMs: number
  readonly leaseMs: number
  readonly dataDir: string
}

/** For the 5 MB of a script on a busy machine. */
const patientLimits = { idleMs: 60_000, pageMs: 60_000, scriptMs: 60_000, allScriptsMs: 60_000, parseMs: 60_000 }

/** A worker that scans often, in this process. */
export async function startOwnWorker({ writeUrl, tenantId, intervalMs, leaseMs, dataDir }: OwnWorker, settings = {}) {
  const database = connectPatiently(writeUrl)
  const config = readConfig({ OUTBOUND_ALLOWED: '127.0.0.1:*', DATA_DIR: dataDir, ...settings })
  const worker = await startWorker(config, database, pino({ level: 'silent' }), {
    settings: { ...scanSettings(config), limits: { ...scanLimits, ...patientLimits } },
    intervalOf: (page) => (page.tenantId === tenantId ? intervalMs : undefined),
    lookEveryMs: 20,
    lease: { expiresAfterMs: leaseMs, renewEveryMs: leaseMs / 5, pollMs: 20 },
  })
  return {
    async stop() {
      await worker.stop()
      await database.close()
    },
  }
}

// As a script, for a test that kills it: the worker as JSON in the one argument.
const [, script, given] = process.argv
if (given !== undefined && script === import.meta.filename) {
  await startOwnWorker(JSON.parse(given), process.env)
  process.stdout.write('started\n')
}
