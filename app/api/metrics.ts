import { Counter, Gauge } from 'prom-client'
import type { Database } from '../../queries/clickhouse/database.ts'
import { listNewestReports } from '../../queries/tenants/activity.ts'
import { listNewestSites } from '../../queries/tenants/sites.ts'
import { dayMs } from '../../schema/durations.ts'
import { createProgramMetrics } from '../http/registry.ts'
import type { RequestContext } from '../pipeline/request-context.ts'

export type Metrics = ReturnType<typeof createMetrics>

/**
 * A read covers up to a third of a month's rows if tenants are many and small: 0.7 s for a million rows on a busy
 * processor.
 */
const siteAgesTtlMs = 60_000
/** Series of one metric, 120 bytes of a scrape each. */
const maxSites = 5_000
/** The rollup's two or three monthly partitions. */
const maxAgeMs = 31 * dayMs

/** Prometheus metrics of the API. */
export function createMetrics(database: Pick<Database, 'read'>, now = Date.now) {
  const program = createProgramMetrics(['key', 'tenant'])
  const registers = [program.registry]
  const counter = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
    new Counter({ name, help, labelNames, registers })
  const engine = counter('clickhouse_query_seconds_total', 'Time of statements in ClickHouse', ['operation'])
  const rows = counter('clickhouse_rows_read_total', 'Rows that ClickHouse read', ['operation'])
  const cacheRequests = counter(
    'response_cache_requests_total',
    'Requests for cached operations, by hit or miss in the response cache',
    ['operation', 'result'],
  )
  let sites: Awaited<ReturnType<typeof listSiteTimes>> = []
  let readAt = -Infinity
  new Gauge({
    name: 'newest_report_age_seconds',
    help: 'Age of the newest report of a site, or of the site if younger; at most 31 days; only the 5,000 newest sites',
    labelNames: ['tenant', 'site'],
    registers,
    async collect() {
      if (now() - readAt > siteAgesTtlMs) {
        readAt = now()
        // During an outage the ages grow, and it is counted as a fault.
        sites = await listSiteTimes(database, readAt).catch(() => sites)
      }
      this.reset()
      for (const { tenantId, siteId, newestAt } of sites) {
        const ageMs = Math.min(maxAgeMs, Math.max(0, now() - newestAt))
        this.set({ tenant: tenantId, site: siteId }, ageMs / 1000)
      }
    },
  })
  return {
    ...program,
    observe(request: RequestContext, status: number, durationMs: number) {
      program.observeRequest(request, status, durationMs)
      const { operation, cacheHit, rowsRead, engineMs } = request
      if (operation === undefined) return
      if (cacheHit !== undefined) cacheRequests.inc({ operation, result: cacheHit ? 'hit' : 'miss' })
      if (engineMs === 0) return
      rows.inc({ operation }, rowsRead)
      engine.inc({ operation }, engineMs / 1000)
    },
  }
}

/** `newestAt`: of a site's newest report, or of its creation if that is later. */
async function listSiteTimes(database: Pick<Database, 'read'>, now: number) {
  const since = new Date(Math.floor((now - maxAgeMs) / dayMs) * dayMs)
  const [sites, newest] = await Promise.all([
    database.read(listNewestSites(maxSites)),
    database.read(listNewestReports(since)),
  ])
  const times = new Map(newest.map(({ siteId, newestAt }) => [siteId, Date.parse(newestAt)]))
  return sites.map(({ tenantId, siteId, createdAt }) => ({
    tenantId,
    siteId,
    newestAt: Math.max(Date.parse(createdAt), times.get(siteId) ?? 0),
  }))
}
