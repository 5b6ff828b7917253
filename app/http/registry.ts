/** @module Metrics of both programs: the process, its HTTP requests, ClickHouse and Redis. */

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { engineDeaths } from '../../clickhouse/engine/start-engine.ts'
import packageJson from '../../package.json' with { type: 'json' }
import type { RequestContext } from '../pipeline/request-context.ts'

/** Milliseconds between samples of the event loop's lag; the default of 10 costs a quarter of the CPU at 32 requests/s. */
const eventLoopMonitoringPrecision = 100

/** Seconds. */
const requestBuckets = [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 15]
const waitBuckets = [0.001, 0.01, 0.1, 0.5, 1, 2, 5, 10]

/** Node's samples hold the interval between them, so that an idle event loop would lag by all of it. */
function subtractSamplingInterval(registry: Registry): void {
  // Never above the interval; huge while there is no sample.
  registry.removeSingleMetric('nodejs_eventloop_lag_min_seconds')
  for (const statistic of ['max', 'mean', 'p50', 'p90', 'p99']) {
    const gauge = registry.getSingleMetric(`nodejs_eventloop_lag_${statistic}_seconds`) as Gauge
    const get = gauge.get.bind(gauge)
    gauge.get = async () => {
      const { values, ...rest } = await get()
      const lag = (value: number) => Math.max(0, value - eventLoopMonitoringPrecision / 1000) || 0
      return { ...rest, values: values.map((sample) => ({ ...sample, value: lag(sample.value) })) }
    }
  }
}

/** A counter has each value of its label from the start, so that Prometheus sees the first increase. */
export function createProgramMetrics(budgets: readonly string[]) {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision })
  subtractSamplingInterval(registry)
  const build = new Gauge({ name: 'build_info', help: '1, by version', labelNames: ['version'], registers })
  build.set({ version: packageJson.version }, 1)

  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from a request to its response',
    labelNames: ['route', 'status'],
    buckets: requestBuckets,
    registers,
  })
  const inFlight = new Gauge({ name: 'http_requests_in_flight', help: 'Requests in progress', registers })
  const poolWait = new Histogram({
    name: 'clickhouse_pool_wait_seconds',
    help: 'Time that a read waits for a slot in its query pool',
    labelNames: ['pool'],
    buckets: waitBuckets,
    registers,
  })
  new Counter({
    name: 'engine_restarts_total',
    help: 'Restarts of the embedded ClickHouse by this program, after it died',
    registers,
    collect() {
      this.reset()
      this.inc(engineDeaths())
    },
  })
  const counter = <Label extends string>(name: string, help: string, label: Label, values: readonly string[]) => {
    const counted = new Counter({ name, help, labelNames: [label], registers })
    for (const value of values) counted.inc({ [label]: value } as Record<Label, string>, 0)
    return (value: string) => counted.inc({ [label]: value } as Record<Label, string>)
  }
  const countRefusal = counter(
    'budget_refusals_total',
    'Requests rejected because a budget is spent',
    'budget',
    budgets,
  )
  const faultKinds = ['timeout', 'connection', 'error']
  const countClickHouseFault = counter('clickhouse_faults_total', 'Reads without a result', 'kind', faultKinds)
  const countRedisFault = counter('redis_faults_total', 'Commands without a result', 'kind', faultKinds)

  return {
    registry,
    inFlight,
    observeRequest({ route = 'other', refusedBudgets = [] }: RequestContext, status: number, durationMs: number) {
      duration.observe({ route, status }, durationMs / 1000)
      for (const budget of refusedBudgets) countRefusal(budget)
    },
    observePoolWait: (pool: string, milliseconds: number) => poolWait.observe({ pool }, milliseconds / 1000),
    countClickHouseFault,
    countRedisFault,
  }
}
