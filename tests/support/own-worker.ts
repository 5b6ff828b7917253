import { pino } from 'pino'
import { readConfig } from '../../app/config.ts'
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

/** A worker that scans often, in this process. */
export async function startOwnWorker({ writeUrl, tenantId, intervalMs, leaseMs, dataDir }: OwnWorker, settings = {}) {
  const database = connectPatiently(writeUrl)
  const config = readConfig({ OUTBOUND_ALLOWED: '127.0.0.1:*', DATA_DIR: dataDir, ...settings })
  const worker = await startWorker(config, database, pino({ level: 'silent' }), {
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
  await startOwnWorker(JSON.parse(given))
  process.stdout.write('started\n')
}
