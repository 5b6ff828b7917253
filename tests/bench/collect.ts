import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { makeSiteToken } from '../../app/collector/site-address.ts'
import { migrate } from '../../clickhouse/migrate.ts'
import { connect } from '../../queries/clickhouse/client.ts'
import type { Database } from '../../queries/clickhouse/database.ts'
import { startTestEngine } from '../support/engine.ts'
import { buildPrograms } from '../support/programs.ts'
import { spawnScript } from '../support/spawn-script.ts'
import { createTenantWriter } from '../support/tenants.ts'
import { integerOption } from './bench-options.ts'
import { type Cleanup, createCleanup } from './cleanup.ts'
import { percentile } from './percentile.ts'
import { formatNumber, toTable } from './print-results.ts'
import { measuringCommand, printLine, runCommand } from './run-command.ts'
import { startRunningApi } from './running-api.ts'
import { type ProcessUsage, watchProcess } from './watch-process.ts'

interface Phase {
  readonly postsPerSecond: number
  readonly reportsPerPost: number
}

/** Reports a second: 3,000 and 20,000. */
const phases: readonly Phase[] = [
  { postsPerSecond: 3_000, reportsPerPost: 1 },
  { postsPerSecond: 1_000, reportsPerPost: 20 },
]

const sites = 20
const host = 'shop.example'

const collect = measuringCommand('npm run bench:collect --', {
  about: 'Send posts of CSP reports to the collector at a steady rate, beside an idle API.',
  notes: [
    'Open loop: posts are sent at their time, however long earlier ones take. First 3,000 posts a second of one report',
    'each, then 1,000 of 20. The sender, the collector, ClickHouse and the API share the machine.',
    'Exit codes: 0, 1 if a post is not 204, a rate is missed by over 2 % or memory grows by half, 2 if nothing was measured.',
  ],
  examples: ['--seconds 60'],
})
  .addOption(integerOption('--seconds <N>', [5, 3_600], 30, 'Duration of each phase'))
  .action(async ({ seconds }) => {
    process.exitCode = await measure(seconds)
  })

interface Target {
  readonly url: string
  readonly pid: number
  readonly tokens: readonly string[]
  readonly database: Database
}

async function measure(seconds: number): Promise<number> {
  const cleanup = createCleanup()
  try {
    const target = await startTarget(cleanup)
    const rows: string[][] = []
    let isMet = true
    for (const phase of phases) {
      printLine(`${phase.postsPerSecond} posts a second of ${phase.reportsPerPost} for ${seconds} s`)
      const { result, usage } = await watchProcess(target.pid, () => send(target, phase, seconds))
      rows.push(toRow(phase, seconds, result, usage))
      isMet &&= judge(phase, seconds, result, usage)
    }
    const head = ['posts/s', 'reports a post', '204/s', 'others', 'p50 ms', 'p99 ms', 'CPU ms a post', 'memory', 'most']
    process.stdout.write(`${toTable([head, ...rows])}\n${isMet ? 'met' : 'MISSED'}\n`)
    return isMet ? 0 : 1
  } finally {
    await cleanup.run()
  }
}

async function startTarget(cleanup: Cleanup): Promise<Target> {
  const engine = await startTestEngine()
  cleanup.defer(() => engine.end())
  const database = connect(engine.userUrls.writer)
  cleanup.defer(() => database.close())
  await migrate(database)
  const api = await startRunningApi(engine.userUrls.reader)
  cleanup.defer(() => api.stop())
  const writer = createTenantWriter(database)
  const tenantId = await writer.createTenant()
  const tokens = Array.from({ length: sites }, makeSiteToken)
  for (const token of tokens) await writer.createSite(tenantId, { hosts: [host], token })
  await buildPrograms(['app/collect.ts'])
  const collector = spawnScript('app/collect.ts', [], {
    DATA_DIR: engine.dataDir,
    CLICKHOUSE_URL: engine.userUrls.writer,
    COLLECTOR_PORT: '0',
    SITE_POSTS_PER_MINUTE: '1000000',
    LOG_LEVEL: 'warn',
  })
  cleanup.defer(async () => {
    collector.child.kill('SIGTERM')
    await collector.ended()
  })
  const [, url = ''] = await collector.printed(/Collecting reports on (http:\/\/[^/]+)/)
  return { url, pid: collector.child.pid as number, tokens, database }
}

interface Sent {
  readonly latencies: number[]
  others: number
}

const pages = 1_000

function toBody({ reportsPerPost }: Phase, index: number): string {
  const reports = Array.from({ length: reportsPerPost }, (_, place) => {
    const url = `https://${host}/page/${(index * reportsPerPost + place) % pages}?session=${index}`
    const blockedURL = `https://cdn${index % 50}.example/asset.js`
    const body = { documentURL: url, effectiveDirective: 'script-src-elem', blockedURL, disposition: 'enforce' }
    return {
      type: 'csp-violation',
      age: 5,
      url,
      body: { ...body, originalPolicy: "default-src 'self'", statusCode: 200 },
    }
  })
  return JSON.stringify(reports)
}

const userAgent = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36'

async function send({ url, tokens }: Target, phase: Phase, seconds: number): Promise<Sent> {
  const pool = new Pool(url, { connections: 8_192, pipelining: 1, headersTimeout: 30_000 })
  const bodies = Array.from({ length: 1_000 }, (_, index) => toBody(phase, index))
  const headers = { 'content-type': 'application/reports+json', 'user-agent': userAgent }
  const sent: Sent = { latencies: [], others: 0 }
  const inFlight: Promise<void>[] = []

  async function post(index: number): Promise<void> {
    const startedAt = performance.now()
    const path = `/r/${tokens[index % tokens.length]}`
    const response = await pool.request({
      method: 'POST',
      path,
      headers,
      body: bodies[index % bodies.length] as string,
    })
    await response.body.dump()
    if (response.statusCode === 204) sent.latencies.push(performance.now() - startedAt)
    else sent.others++
  }

  const startedAt = performance.now()
  const total = phase.postsPerSecond * seconds
  while (inFlight.length < total) {
    const due = Math.min(total, Math.floor(((performance.now() - startedAt) / 1000) * phase.postsPerSecond))
    while (inFlight.length < due) {
      const posting = post(inFlight.length)
      inFlight.push(posting.catch(() => void sent.others++))
    }
    await sleep(2)
  }
  await Promise.all(inFlight)
  await pool.close()
  return sent
}

function toRow(phase: Phase, seconds: number, { latencies, others }: Sent, { cpuMs, memory }: ProcessUsage): string[] {
  return [
    String(phase.postsPerSecond),
    String(phase.reportsPerPost),
    (latencies.length / seconds).toFixed(0),
    String(others),
    percentile(latencies, 0.5).toFixed(0),
    percentile(latencies, 0.99).toFixed(0),
    (cpuMs / latencies.length).toFixed(3),
    formatNumber(memory.at(-1) ?? 0),
    formatNumber(Math.max(...memory)),
  ]
}

const judge = ({ postsPerSecond }: Phase, seconds: number, { latencies, others }: Sent, { memory }: ProcessUsage) => {
  const half = memory[memory.length >> 1] ?? 0
  return others === 0 && latencies.length >= postsPerSecond * seconds * 0.98 && (memory.at(-1) ?? 0) < half * 1.5
}

await runCommand(collect)
