/** @module Six panels of a dashboard, polled without a pause: how many requests a second a machine serves. */

import { setTimeout as sleep } from 'node:timers/promises'
import { makeSiteToken } from '../../app/collector/site-address.ts'
import { dayMs } from '../../schema/durations.ts'
import { createTenantWriter } from '../support/tenants.ts'
import { type BenchFolder, bigTenant } from './bench-data.ts'
import type { Cleanup } from './cleanup.ts'
import type { LoadedEngine } from './loaded-engine.ts'
import { percentile } from './percentile.ts'
import { pollServer } from './poll-server.ts'
import { toTable } from './print-results.ts'
import { printLine } from './run-command.ts'
import type { RunningApi } from './running-api.ts'
import { startRunningCollector } from './running-collector.ts'

/** How a window that ends now is written: `last`, or both its ends, of each request or of the first. */
type PanelWindows = 'last' | 'moving' | 'named'

const panels = [
  [7, 'reports/count?'],
  [1, 'reports/histogram?bucketSize=5m&'],
  [7, 'reports/histogram?bucketSize=1h&'],
  [7, 'reports/grouped?groupBy=directive&'],
  [1, 'reports/grouped?groupBy=blockedHost&'],
  [7, 'issues?limit=20&'],
] as const

/** Path of a panel by a request's index. */
export function panelPaths(windows: PanelWindows, now = Date.now): (index: number) => string {
  const startedAt = now()
  return (index) => {
    const [days, path] = panels[index % panels.length] as (typeof panels)[number]
    if (windows === 'last') return `/v1/${path}last=${days}d`
    const to = windows === 'named' ? startedAt : now()
    return `/v1/${path}from=${new Date(to - days * dayMs).toISOString()}&to=${new Date(to).toISOString()}`
  }
}

interface DashboardLoad {
  readonly windows: PanelWindows
  readonly seconds: number
  readonly connections: number
}

interface DashboardResult {
  readonly requestsPerSecond: number
  readonly failed: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
  /** Milliseconds of ClickHouse a request. */
  readonly engineMs: number
}

async function pollPanels(
  api: Pick<RunningApi, 'url'>,
  key: string,
  { windows, seconds, connections }: DashboardLoad,
): Promise<DashboardResult> {
  const headers = { Authorization: `Bearer ${key}` }
  const before = await engineSeconds(api.url)
  const pathAt = panelPaths(windows)
  const { latencies, failed } = await pollServer({ url: api.url, pathAt, headers, connections, seconds, intervalMs: 0 })
  const spent = (await engineSeconds(api.url)) - before
  return {
    requestsPerSecond: latencies.length / seconds,
    failed,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    engineMs: (spent * 1000) / latencies.length,
  }
}

async function engineSeconds(url: string): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text()
  const lines = metrics.matchAll(/^clickhouse_query_seconds_total\{.*\} (\S+)$/gm)
  return [...lines].reduce((sum, [, value]) => sum + Number(value), 0)
}

interface RunningPosts {
  /** Milliseconds of each post that was stored, and posts that were not. */
  stop(): Promise<{ readonly latencies: readonly number[]; readonly failed: number }>
}

const postsPerSecond = 20

/** Posts one report at a time to a site of the big tenant: a collector beside the API. */
async function startPosts(folder: BenchFolder, engine: LoadedEngine, cleanup: Cleanup): Promise<RunningPosts> {
  const token = makeSiteToken()
  const host = 'live.shop.test'
  await createTenantWriter(engine.writer).createSite(bigTenant, { name: 'Live', hosts: [host], token })
  const { url } = await startRunningCollector({ dataDir: folder.path, engineUrl: engine.writerUrl, cleanup })
  const latencies: number[] = []
  const inFlight = new Set<Promise<void>>()
  let failed = 0
  let isStopped = false

  async function post(index: number): Promise<void> {
    const documentURL = `https://${host}/page/${index % 500}`
    const body = { documentURL, effectiveDirective: 'img-src', blockedURL: `https://cdn${index % 50}.example/a.png` }
    const startedAt = performance.now()
    const response = await fetch(`${url}/r/${token}`, {
      method: 'POST',
      headers: { 'content-type': 'application/reports+json' },
      body: JSON.stringify([{ type: 'csp-violation', age: 0, url: documentURL, body }]),
    })
    await response.arrayBuffer()
    if (response.status === 204) latencies.push(performance.now() - startedAt)
    else failed++
  }

  async function postAll(): Promise<void> {
    const startedAt = performance.now()
    for (let sent = 0; !isStopped; await sleep(10)) {
      const due = Math.floor(((performance.now() - startedAt) / 1000) * postsPerSecond)
      for (; sent < due; sent++) {
        const posting = post(sent).catch(() => void failed++)
        inFlight.add(posting)
        void posting.finally(() => inFlight.delete(posting))
      }
    }
  }
  const posting = postAll()
  return {
    async stop() {
      isStopped = true
      await posting
      await Promise.all(inFlight)
      return { latencies, failed }
    },
  }
}

interface DashboardOptions extends DashboardLoad {
  readonly live: boolean
}

/** Prints one row; true where no request and no post failed. */
export async function measureDashboards(
  { folder, engine, api }: { readonly folder: BenchFolder; readonly engine: LoadedEngine; readonly api: RunningApi },
  options: DashboardOptions,
  cleanup: Cleanup,
): Promise<boolean> {
  const posts = options.live ? await startPosts(folder, engine, cleanup) : undefined
  const { key } = folder.state.key
  const poll = (seconds: number) => pollPanels(api, key, { ...options, seconds })
  printLine(`Polling six panels on ${options.connections} connections for ${options.seconds} s, without a pause`)
  await poll(5)
  const result = await poll(options.seconds)
  const posted = await posts?.stop()
  process.stdout.write(`${toTable([dashboardHead, dashboardRow(options, result, posted)])}\n`)
  return result.failed === 0 && (posted?.failed ?? 0) === 0
}

const dashboardHead = [
  ...['windows', 'tenant', 'requests/s', 'failed', 'p50 ms', 'p99 ms', 'engine ms a request'],
  ...['dashboards each 10 s', 'post p50 ms', 'post p99 ms', 'failed'],
]

function dashboardRow(
  { windows }: DashboardOptions,
  { requestsPerSecond, failed, p50, p99, engineMs }: DashboardResult,
  posted: Awaited<ReturnType<RunningPosts['stop']>> | undefined,
): string[] {
  const postTimes = posted ? [0.5, 0.99].map((share) => percentile(posted.latencies, share).toFixed(0)) : ['-', '-']
  return [
    windows,
    posted ? 'posts' : 'quiet',
    ...[requestsPerSecond, failed].map((value) => value.toFixed(0)),
    ...[p50, p99, engineMs].map((value) => value.toFixed(2)),
    ((requestsPerSecond * 10) / panels.length).toFixed(0),
    ...postTimes,
    posted ? String(posted.failed) : '-',
  ]
}
