import { startCollector } from './collector/start-collector.ts'
import { readConfig } from './config.ts'
import { createLogger } from './program/create-logger.ts'
import { logEngineDeath } from './program/log-outage.ts'
import { openDatabase } from './program/open-database.ts'
import { refuseArguments } from './program/refuse-arguments.ts'
import { requireUser } from './program/require-user.ts'
import { fail, stopOnSignal } from './program/stop-signal.ts'
import { warnOfRelease } from './program/warn-of-release.ts'

/** `npm run collect`: only the collector, into CLICKHOUSE_URL as the writer, or into DATA_DIR's engine. */
async function collect(): Promise<void> {
  refuseArguments('collect')
  const config = readConfig(process.env)
  const print = (line: string) => void process.stderr.write(`${line}\n`)
  const log = createLogger(config)
  const database = await openDatabase(config, {
    port: config.CLICKHOUSE_PORT,
    onStep: print,
    onDeath: logEngineDeath(log),
    onUnavailable: (line) => print(`${line}; reports wait in the log until it does`),
  })
  try {
    await requireUser(database.writer, 'writer')
    const collector = await startCollector(config, database.writer, log, { cluster: database.cluster })
    void warnOfRelease(database.reader, log)
    stopOnSignal(async () => {
      await collector.stop()
      await database.close()
    })
    process.stdout.write(`Collecting reports on ${collector.url}/r/TOKEN\n`)
  } catch (error) {
    await database.close()
    throw error
  }
}

collect().catch(fail)
