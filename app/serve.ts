import { connect } from '../queries/clickhouse/client.ts'
import { startApi } from './api/start-api.ts'
import { readConfig } from './config.ts'
import { createLogger } from './program/create-logger.ts'
import { refuseArguments } from './program/refuse-arguments.ts'
import { requireUser, warnOfPolicies } from './program/require-user.ts'
import { fail, stopOnSignal } from './program/stop-signal.ts'
import { warnOfRelease } from './program/warn-of-release.ts'

/** `npm run serve`: only the API, with CLICKHOUSE_URL and REDIS_URL, as in production. */
async function serve(): Promise<void> {
  refuseArguments('serve')
  const config = readConfig(process.env)
  if (!config.CLICKHOUSE_URL) {
    throw new Error('CLICKHOUSE_URL is required, such as http://reader:password@host:8123/default')
  }
  const { CLICKHOUSE_URL, CLICKHOUSE_CLUSTER, CLICKHOUSE_QUORUM: quorum } = config
  const database = connect(CLICKHOUSE_URL, { isCluster: CLICKHOUSE_CLUSTER === true, quorum, isOfRequests: true })
  const log = createLogger(config)
  await requireUser(database, 'reader')
  const api = await startApi(config, database, log)
  void warnOfRelease(database, log)
  void warnOfPolicies(database, log)
  stopOnSignal(async () => {
    await api.stop()
    await database.close()
  })
  process.stdout.write(`Serving the Security Reporting API on ${api.url}\n`)
}

serve().catch(fail)
