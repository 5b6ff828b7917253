import { readFile } from 'node:fs/promises'
import { passwordPath } from '../clickhouse/engine/passwords.ts'
import { shopScenario } from '../fixtures/demo-scenarios.ts'
import { listSites } from '../queries/tenants/sites.ts'
import { listTenants } from '../queries/tenants/tenants.ts'
import { startApi } from './api/start-api.ts'
import { reportPath } from './collector/site-address.ts'
import { type CollectorOptions, startCollector } from './collector/start-collector.ts'
import type { TryPageOptions } from './collector/try-page.ts'
import { type Config, readConfig } from './config.ts'
import { type DemoKey, loadDemo } from './demo/load-demo.ts'
import { importPayAlerts, mountPayAlerts } from './demo/pay-alerts.ts'
import { importPayPage, mountPayPage, payPageScans, payPageScansPath } from './demo/pay-page.ts'
import { requireFreePorts } from './http/require-free-ports.ts'
import { createLogger } from './program/create-logger.ts'
import { logEngineDeath } from './program/log-outage.ts'
import { type DatabaseAccess, openDatabase } from './program/open-database.ts'
import { refuseArguments } from './program/refuse-arguments.ts'
import { fail, stopOnSignal } from './program/stop-signal.ts'
import { startWorker } from './worker/start-worker.ts'

/** `npm start`: the embedded engine, migrated and filled with demo data, and the API, the collector and the worker over it. */
async function start(): Promise<void> {
  refuseArguments('start')
  const config = readConfig(process.env)
  await requireFreePorts(config, ['PORT', 'COLLECTOR_PORT'])
  const log = createLogger(config)
  const engine = await openDatabase(config, {
    port: config.CLICKHOUSE_PORT,
    onStep: printStep,
    onDeath: logEngineDeath(log),
    migrates: 'any',
    connectOptions: { isOfRequests: true },
  })
  try {
    // A server in CLICKHOUSE_URL has real data, so it gets no demo data.
    const keys = config.CLICKHOUSE_URL ? [] : await loadDemo(engine.writer, config.DATA_DIR)
    const api = await startApi(config, engine.reader, log)
    const tryPage = await tryPageOptions(engine.writer, api.url, keys)
    const collector = await startCollector(config, engine.writer, log, { tryPage, mount: tryPage && mountPayDemo })
    const payPage = tryPage && (await importPayPage(engine.writer, collector.url))
    const payAlerts = tryPage && (await importPayAlerts(engine.writer, config, collector.url))
    const scans = payPage === undefined ? undefined : payPageScans(config, collector.url)
    const worker = await startWorker(scans?.config ?? config, engine.writer, log, {
      intervalOf: scans?.intervalOf,
      capturesOf: scans?.capturesOf,
    })
    stopOnSignal(async () => {
      await Promise.all([collector.stop(), api.stop(), worker.stop()])
      await engine.close()
    })
    const urls = { api: api.url, collector: collector.url, payPage, payAlerts }
    const tenants = keys.length > 0 ? 0 : (await engine.writer.read(listTenants)).length
    process.stdout.write(welcome(urls, await clickHouseLines(config, engine), keys, tenants))
  } catch (error) {
    await engine.close()
    throw error
  }
}

const mountPayDemo: CollectorOptions['mount'] = (app) => {
  mountPayPage(app)
  mountPayAlerts(app)
}

function printStep(line: string): void {
  process.stderr.write(`${line}\n`)
}

/** Undefined without the demo. */
async function tryPageOptions(
  writer: DatabaseAccess['writer'],
  apiUrl: string,
  [main]: readonly DemoKey[],
): Promise<TryPageOptions | undefined> {
  const sites = main ? await writer.read(listSites(shopScenario.tenant.id)) : []
  const site = sites.find(({ hosts }) => hosts.includes('localhost'))
  return main && site && { reportPath: reportPath(site.token), apiUrl, apiKey: main.key }
}

const shopSite = shopScenario.tenant.sites[0]?.id

const tour = [
  '/v1/reports/types',
  '/v1/reports/histogram?bucketSize=1d',
  '/v1/reports/grouped?groupBy=directive,blockedHost&limit=5',
  '/v1/issues?limit=3',
  `/v1/sites/${shopSite}/scripts?limit=3`,
  `/v1/compliance/pci-dss?siteId=${shopSite}`,
]

async function clickHouseLines({ CLICKHOUSE_URL, DATA_DIR }: Config, { url }: DatabaseAccess): Promise<string[]> {
  if (CLICKHOUSE_URL) return [`ClickHouse              ${url}`]
  const password = passwordPath(DATA_DIR, 'analyst')
  return [
    `ClickHouse              ${url}/play  (user analyst, password ${await readFile(password, 'utf8')})`,
    `                        curl -s -u "analyst:$(cat '${password}')" ${url} -d 'SELECT count() FROM reports'`,
  ]
}

interface Urls {
  readonly api: string
  readonly collector: string
  readonly payPage: string | undefined
  readonly payAlerts: string | undefined
}

function welcome(
  { api, collector, payPage, payAlerts }: Urls,
  clickHouse: readonly string[],
  [main, ...others]: readonly DemoKey[],
  /** Counted only if there is no demo. */
  tenants: number,
): string {
  const lines = ['', `Security Reporting API  ${api}`, `Explorer                ${api}/explorer`]
  lines.push(`Reference               ${api}/docs`)
  lines.push(...clickHouse)
  if (main) {
    lines.push(`Your own browser        ${collector}/try`)
    if (payPage !== undefined) {
      lines.push(`Scanned page            ${payPage}  (every two minutes)`)
      lines.push(`                        curl -s -H 'Authorization: Bearer ${main.key}' '${api}${payPageScansPath}'`)
    }
    if (payAlerts !== undefined) lines.push(`Its alerts              ${payAlerts}`)
    lines.push(`Demo key                ${main.key}`)
    for (const { tenant, key } of others) lines.push(`Another tenant's key    ${key}  (${tenant})`)
    lines.push('', 'Try:')
    for (const path of tour) lines.push(`  curl -s -H 'Authorization: Bearer ${main.key}' '${api}${path}'`)
  } else {
    lines.push(
      '',
      tenants > 0
        ? `The database has ${tenants} tenants: list them with "security-reporting tenants list", create a key with "keys create", and after a restore run "doctor"`
        : 'Create a tenant, a site and a key, then import reports: see "security-reporting --help"',
    )
  }
  return `${lines.join('\n')}\n\n`
}

start().catch(fail)
