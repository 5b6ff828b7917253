import { Counter, Gauge } from 'prom-client'
import type { Database } from '../../queries/clickhouse/database.ts'
import { listNewestReports } from '../../queries/tenants/list-newest-reports.ts'
import { createProgramMetrics } from '../http/registry.ts'
import type { RequestContext } from '../pipeline/request-context.ts'

export type Metrics = ReturnType<typeof createMetrics>

const newestReportsTtlMs = 15_000

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
    'Requests of cached operations, by whether the response cache had the response',
    ['operation', 'result'],
  )
  let newest: Awaited<ReturnType<typeof readNewest>> = []
  let readAt = -Infinity
  const readNewest = () => database.read(listNewestReports(new Date(now())))
  new Gauge({
    name: 'newest_report_age_seconds',
    help: 'Age of the newest report of the last 7 days, to the minute, of the 1,000 tenants with the newest',
    labelNames: ['tenant'],
    registers,
    async collect() {
      if (now() - readAt > newestReportsTtlMs) {
        readAt = now()
        // During an outage the ages grow; it is counted as a fault.
        newest = await readNewest().catch(() => newest)
      }
      this.reset()
      for (const { tenantId, newestAt } of newest) {
        this.set({ tenant: tenantId }, Math.max(0, now() - Date.parse(newestAt)) / 1000)
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
