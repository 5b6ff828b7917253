import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { makeSiteToken } from '../../app/collector/site-address.ts'
import { loadDemo } from '../../app/demo/load-demo.ts'
import { migrate } from '../../clickhouse/migrate.ts'
import { connect } from '../../queries/clickhouse/client.ts'
import type { Database } from '../../queries/clickhouse/database.ts'
import { startTestEngine } from '../support/engine.ts'
import { createTenantWriter } from '../support/tenants.ts'
import type { Cleanup } from './cleanup.ts'
import { startRunningApi } from './running-api.ts'
import { startRunningCollector } from './running-collector.ts'

/** A collector in a process of its own beside an idle API, and posts to it at a steady rate. */
export interface CollectorTarget {
  readonly url: string
  readonly pid: number
  /** Data folder of the engine and the collector. */
  readonly dataDir: string
  readonly enginePid: number
  readonly tokens: readonly string[]
  readonly database: Database
}

const sites = 20
const host = 'shop.example'

/** @param withDemo loads the demo before, as `npm start` does: merges of small parts rewrite large ones too. */
export async function startCollectorTarget(cleanup: Cleanup, withDemo: boolean): Promise<CollectorTarget> {
  const engine = await startTestEngine()
  cleanup.defer(() => engine.end())
  const database = connect(engine.userUrls.writer)
  cleanup.defer(() => database.close())
  await migrate(database)
  if (withDemo) await loadDemo(database, engine.dataDir)
  const api = await startRunningApi(engine.userUrls.reader)
  cleanup.defer(() => api.stop())
  const writer = createTenantWriter(database)
  const tenantId = await writer.createTenant()
  const tokens = Array.from({ length: sites }, makeSiteToken)
  for (const token of tokens) await writer.createSite(tenantId, { hosts: [host], token })
  const { userUrls, dataDir } = engine
  const collector = await startRunningCollector({ dataDir, engineUrl: userUrls.writer, cleanup })
  return { ...collector, dataDir, enginePid: engine.pid() as number, tokens, database }
}

export interface PostRate {
  readonly postsPerSecond: number
  readonly reportsPerPost: number
}

export interface SentPosts {
  /** Milliseconds of each 204. */
  readonly latencies: number[]
  others: number
}

const pages = 1_000

function toBody({ reportsPerPost }: PostRate, index: number): string {
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

/** Open loop: each post is sent at its time, however long earlier ones take. */
export async function sendPosts({ url, tokens }: CollectorTarget, rate: PostRate, seconds: number): Promise<SentPosts> {
  const pool = new Pool(url, { connections: 8_192, pipelining: 1, headersTimeout: 30_000 })
  const bodies = Array.from({ length: 1_000 }, (_, index) => toBody(rate, index))
  const headers = { 'content-type': 'application/reports+json', 'user-agent': userAgent }
  const sent: SentPosts = { latencies: [], others: 0 }
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
  const total = rate.postsPerSecond * seconds
  for (;;) {
    const elapsed = (performance.now() - startedAt) / 1000
    const due = Math.min(total, Math.floor(elapsed * rate.postsPerSecond) + 1)
    while (inFlight.length < due) {
      const posting = post(inFlight.length)
      inFlight.push(posting.catch(() => void sent.others++))
    }
    if (elapsed >= seconds) break
    await sleep(2)
  }
  await Promise.all(inFlight)
  await pool.close()
  return sent
}
