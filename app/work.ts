import { readConfig } from './config.ts'
import { createLogger } from './program/create-logger.ts'
import { logEngineDeath, logOutage } from './program/log-outage.ts'
import { openDatabase } from './program/open-database.ts'
import { refuseArguments } from './program/refuse-arguments.ts'
import { requireUser } from './program/require-user.ts'
import { fail, stopOnSignal } from './program/stop-signal.ts'
import { warnOfRelease } from './program/warn-of-release.ts'
import { startWorker } from './worker/start-worker.ts'
import { createWorkerMetrics } from './worker/worker-metrics.ts'

/** `npm run worker`: only the worker, into CLICKHOUSE_URL as the writer, or into DATA_DIR's engine. */
async function work(): Promise<void> {
  refuseArguments('worker')
  const config = readConfig(process.env)
  const print = (line: string) => void process.stderr.write(`${line}\n`)
  const log = createLogger(config)
  const database = await openDatabase(config, {
    port: config.CLICKHOUSE_PORT,
    onStep: print,
    onDeath: logEngineDeath(log),
    onUnavailable: (line) => print(`${line}; scans start when it does`),
  })
  try {
    await requireUser(database.writer, 'writer')
    const metrics = createWorkerMetrics()
    const { observePoolWait: onPoolWait, countClickHouseFault: onFault } = metrics
    database.writer.observe({ onPoolWait, onFault, onOutage: logOutage(log, 'ClickHouse') })
    const worker = await startWorker(config, database.writer, log, { metrics, shards: database.shards })
    void warnOfRelease(database.reader, log)
    stopOnSignal(async () => {
      await worker.stop()
      await database.close()
    })
    const { SCAN_EVERY_HOURS } = config
    process.stdout.write(
      SCAN_EVERY_HOURS === 0
        ? 'Scans are disabled: SCAN_EVERY_HOURS is 0\n'
        : `Scanning monitored pages every ${SCAN_EVERY_HOURS === 1 ? 'hour' : `${SCAN_EVERY_HOURS} hours`}, one worker at a time\n`,
    )
  } catch (error) {
    await database.close()
    throw error
  }
}

work().catch(fail)
