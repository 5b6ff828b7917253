import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import type { TestEngine } from '../../support/engine.ts'
import { ensureInstalled } from '../../support/ensure-installed.ts'
import { freePort } from '../../support/free-port.ts'
import { freezeProcess } from '../../support/freeze-process.ts'
import { startMigratedEngine } from '../../support/migrated-engine.ts'
import { connectPatiently } from '../../support/patience.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'
import { spawnScript } from '../../support/spawn-script.ts'
import { createTenantWriter } from '../../support/tenants.ts'

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly labels: Record<string, string>
  readonly annotations: Record<string, string>
}

const monitoring = new URL('../../../clickhouse/monitoring/', import.meta.url)
const rulesFile = fileURLToPath(new URL('alerts.yaml', monitoring))
const rules: Rule[] = parse(readFileSync(rulesFile, 'utf8')).groups[0].rules
const dashboard = JSON.parse(readFileSync(new URL('dashboard.json', monitoring), 'utf8'))
const panels: { title: string; targets: { expr: string }[] }[] = dashboard.panels
const expressions = [
  ...rules.map(({ expr }) => expr),
  ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
]

const ownJob = 'security-reporting-api'

const folder = mkdtempSync(join(tmpdir(), 'alerts-'))
const cleanups: (() => unknown)[] = []
let engine: TestEngine
let redis: TestRedis
let api: string
let key: string
let scrape: () => Promise<string>
let scrapeCollector: () => Promise<string>
let scrapeWorker: () => Promise<string>

const promtool = (...args: string[]) => execFileSync(ensureInstalled('promtool'), args, { encoding: 'utf8' })

beforeAll(async () => {
  ensureInstalled('promtool')
  ;[engine, redis] = await Promise.all([startMigratedEngine(), startRedis()])
  cleanups.push(() => engine.end(), redis.stop)
  const { reader, writer } = engine.userUrls
  const database = connectPatiently(writer)
  const tenants = createTenantWriter(database)
  key = (await tenants.createKey(await tenants.createTenant())).key
  await database.close()
  const start = async (file: string, variable: string, clickHouseUrl: string) => {
    const port = await freePort()
    const addresses = { CLICKHOUSE_URL: clickHouseUrl, REDIS_URL: redis.url, PORT: '0', COLLECTOR_PORT: '0' }
    const script = spawnScript(file, [], {
      ...addresses,
      DATA_DIR: folder,
      LOG_LEVEL: 'silent',
      [variable]: String(port),
    })
    cleanups.push(() => script.child.kill('SIGKILL'))
    const [, url = ''] = await script.printed(/on (http:\/\/[\d.:]+)|^Scanning monitored pages/m)
    return { url, scrape: async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text() }
  }
  const serve = await start('app/serve.ts', 'METRICS_PORT', reader)
  const collect = await start('app/collect.ts', 'COLLECTOR_METRICS_PORT', writer)
  api = serve.url
  scrape = serve.scrape
  scrapeCollector = collect.scrape
  scrapeWorker = (await start('app/work.ts', 'WORKER_METRICS_PORT', writer)).scrape
})

afterAll(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup()
  rmSync(folder, { recursive: true })
})

/** Equal requests in flight share one read. */
const send = (browserName = 'Firefox') =>
  fetch(`${api}/v1/reports/count?browserName=${browserName}`, { headers: { Authorization: `Bearer ${key}` } })

const untilServed = () => expect.poll(async () => (await send()).status).toBe(200)

/** Scrapes before and after ten requests, none of which a busy machine delayed beyond a deadline. */
async function scrapesOfGoodTimes(): Promise<readonly [string, string]> {
  for (;;) {
    const before = await scrape()
    const statuses: number[] = []
    for (let sent = 0; sent < 10; sent++) statuses.push((await send()).status)
    if (statuses.every((status) => status === 200)) return [before, await scrape()]
  }
}

/** The series of consecutive scrapes as promtool takes them. */
function inputSeries(scrapes: readonly string[], job: string) {
  const samples = scrapes.map(
    (text) => new Map([...text.matchAll(/^([a-z]\w*(?:\{.*\})?) (\S+)$/gm)].map(([, name, value]) => [name, value])),
  )
  return [...(samples.at(-1)?.keys() ?? [])].map((name = '') => ({
    series: name.includes('{') ? name.replace('{', `{job="${job}",`) : `${name}{job="${job}"}`,
    values: samples.map((sample) => sample.get(name) ?? '_').join(' '),
  }))
}

/** Throws what promtool prints where the alert fires and should not, or the reverse, after two scrapes 30 s apart. */
function expectAlert(alert: string, scrapes: readonly [string, string], fires: boolean, job = ownJob): void {
  const { labels = {}, annotations = {} } = rules.find((rule) => rule.alert === alert) ?? {}
  const expected = fires ? [{ exp_labels: { ...labels, job }, exp_annotations: annotations }] : []
  const file = join(folder, `${alert}-${fires}-${job}.yaml`)
  const tests = [
    {
      interval: '30s',
      input_series: inputSeries(scrapes, job),
      alert_rule_test: [{ eval_time: '30s', alertname: alert, exp_alerts: expected }],
    },
  ]
  writeFileSync(file, stringify({ rule_files: [rulesFile], evaluation_interval: '30s', tests }))
  expect(promtool('test', 'rules', file)).toContain('SUCCESS')
}

test('every metric of a rule is of our jobs', () => {
  const selected = rules.flatMap(({ expr }) => [...expr.matchAll(/\b(?:up|[a-z]+(?:_[a-z0-9]+)+)\b(?!\()(.*)/g)])
  expect(selected.length).toBeGreaterThanOrEqual(rules.length)
  for (const [metric, rest] of selected) expect(rest, metric).toMatch(/^\{job=~"security-reporting\.\*"/)
})

test('every metric of the dashboard is of the chosen jobs', () => {
  const selected = panels.flatMap(({ targets }) =>
    targets.flatMap(({ expr }) => [...expr.matchAll(/(?<![_$])\b[a-z]+(?:_[a-z0-9]+)+\b(?!\()(.*)/g)]),
  )
  expect(selected.length).toBeGreaterThanOrEqual(panels.length)
  for (const [metric, rest] of selected) expect(rest, metric).toMatch(/^\{job=~"\$job"/)
})

test('promtool takes the rules', () => {
  expect(promtool('check', 'rules', rulesFile)).toContain(`SUCCESS: ${rules.length} rules found`)
})

describe('the alerts and the dashboard', () => {
  test('name only metrics that a scrape of the API, the collector or the worker has', async () => {
    await untilServed()
    await untilServed()
    const scraped = (await scrape()) + (await scrapeCollector()) + (await scrapeWorker())
    const families = new Set(
      [...scraped.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = '', type]) =>
        type === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
      ),
    )
    const used = expressions.flatMap((expr) =>
      [...expr.matchAll(/\b[a-z]+(?:_[a-z0-9]+)+\b(?=[^\w(]|$)/g)].map(([name]) => name),
    )
    const functions = new Set(['histogram_quantile', '__rate_interval'])
    const metrics = [...new Set(used)].filter((name) => !functions.has(name))
    expect(metrics.length).toBeGreaterThan(12)
    expect(metrics.filter((name) => !families.has(name))).toEqual([])
  })

  test('select by labels that the metrics have', async () => {
    const scraped = (await scrape()) + (await scrapeCollector()) + (await scrapeWorker())
    const labels = new Set(['job', ...[...scraped.matchAll(/[{,](\w+)="/g)].map(([, label]) => label)])
    const selected = expressions.flatMap((expr) =>
      [...expr.matchAll(/[{,]\s*(\w+)[!=]?[=~]"/g)].map(([, label]) => label),
    )
    expect(selected.length).toBeGreaterThan(3)
    for (const label of selected) expect(labels).toContain(label)
  })

  test('the dashboard’s expressions are PromQL', () => {
    const groups = panels.map(({ title, targets }) => ({
      name: title,
      rules: targets.map(({ expr }, index) => ({
        record: `panel_${index}`,
        expr: expr.replaceAll('$__rate_interval', '5m'),
      })),
    }))
    const file = join(folder, 'panels.yaml')
    writeFileSync(file, stringify({ groups }))
    expect(promtool('check', 'rules', '--lint=none', file)).toContain('SUCCESS')
  })
})

test('a frozen Redis turns its alert on within two scrapes, and no other', async () => {
  const [before, after] = await scrapesOfGoodTimes()
  expectAlert('RedisDoesNotRespond', [before, after], false)
  redis.freeze()
  for (let sent = 0; sent < 10; sent++) expect((await send()).status).toBe(503)
  const during = await scrape()
  redis.thaw()
  expectAlert('RedisDoesNotRespond', [before, during], true)
  expectAlert('RedisDoesNotRespond', [before, during], false, 'shop')
  expectAlert('ClickHouseDoesNotRespond', [before, during], false)
  await untilServed()
})

test('a frozen ClickHouse turns its alert on within two scrapes, and the scrapes do not fail', async () => {
  const [before, after] = await scrapesOfGoodTimes()
  expectAlert('ClickHouseDoesNotRespond', [before, after], false)
  freezeProcess(engine.pid() as number)
  const statuses = await Promise.all(Array.from({ length: 10 }, async (_, index) => (await send(`B${index}`)).status))
  const during = await scrape()
  process.kill(engine.pid() as number, 'SIGCONT')
  expect(statuses).toContain(503)
  expectAlert('ClickHouseDoesNotRespond', [before, during], true)
  expectAlert('ClickHouseDoesNotRespond', [before, during], false, 'shop')
  expectAlert('RedisDoesNotRespond', [before, during], false)
})

test('a block that is set aside, or that is sent for long, turns its alert on', async () => {
  const collectors = 'security-reporting-collector'
  const file = (name: string) => join(folder, 'collector', name)
  const sound = await scrapeCollector()
  for (const alert of ['BlocksSetAside', 'BlockNotStored']) expectAlert(alert, [sound, sound], false, collectors)
  writeFileSync(file('a.refused'), '')
  const setAside = await scrapeCollector()
  expectAlert('BlocksSetAside', [sound, setAside], true, collectors)
  expectAlert('BlockNotStored', [sound, setAside], false, collectors)
  rmSync(file('a.refused'))
  const old = sound.replace(/^collector_oldest_block_seconds 0$/m, 'collector_oldest_block_seconds 600')
  expect(old).not.toBe(sound)
  expectAlert('BlocksSetAside', [sound, old], false, collectors)
  expectAlert('BlockNotStored', [sound, old], true, collectors)
})
