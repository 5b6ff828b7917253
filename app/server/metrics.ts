import { getConnInfo } from '@hono/node-server/conninfo'
import type { Context, Hono } from 'hono'
import { Counter, collectDefaultMetrics, type Gauge, Histogram, Registry } from 'prom-client'
import { createResponse, uncachedHeaders } from '../pipeline/json-response.ts'
import { rejectOtherMethods } from '../pipeline/reject-other-methods.ts'
import { type ApiEnv, headersOf, type RequestContext } from '../pipeline/request-context.ts'

const loopback = /^(127\.|::1$|::ffff:127\.)/

/** Milliseconds between samples of the event loop's lag; the default of 10 costs a quarter of the CPU at 32 requests/s. */
const eventLoopMonitoringPrecision = 100

const proxyHeaders = ['X-Forwarded-For', 'X-Forwarded-Host', 'X-Real-IP', 'Forwarded', 'Via']

const localHost = /^(localhost|127\.[\d.]+|\[::1\])$/

/** A proxy on this machine connects from loopback too, but adds headers; a page whose host name was rebound sends that name. */
function fromThisMachine(c: Context<ApiEnv>): boolean {
  const proxied = proxyHeaders.some((name) => c.req.header(name) !== undefined)
  const isLocal = loopback.test(getConnInfo(c).remote.address ?? '')
  return isLocal && !proxied && localHost.test(new URL(c.req.url).hostname)
}

/** Node's samples hold the interval between them, so that an idle event loop would lag by all of it. */
function subtractSamplingInterval(registry: Registry): void {
  // Never above the interval, and huge while there is no sample.
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

export type Metrics = ReturnType<typeof createMetrics>

/** Of the process. */
export function createRegistry(): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision })
  subtractSamplingInterval(registry)
  return registry
}

/** Serves a registry at `/metrics` to this machine; to any other there is no such path. */
export function mountMetrics(app: Hono<ApiEnv>, registry: Registry): void {
  app.use('/metrics', async (c, next) => (fromThisMachine(c) ? next() : c.notFound()))
  app.get('/metrics', async (c) =>
    createResponse(await registry.metrics(), 200, {
      ...uncachedHeaders,
      'Content-Type': registry.contentType,
      ...headersOf(c.get('request')),
    }),
  )
  rejectOtherMethods(app, '/metrics')
}

/** Prometheus metrics of the API. */
export function createMetrics() {
  const registry = createRegistry()
  const duration = new Histogram({
    name: 'api_request_duration_seconds',
    help: 'Time from a request to its response',
    labelNames: ['operation', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 15],
    registers: [registry],
  })
  const counter = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
    new Counter({ name, help, labelNames, registers: [registry] })
  const engine = counter('api_engine_seconds_total', 'Time spent inside the engine', ['operation'])
  const rows = counter('api_rows_read_total', 'Rows the engine read', ['operation'])
  const cacheRequests = counter(
    'api_response_cache_requests_total',
    'Requests of cached operations, by whether the response cache had the response',
    ['operation', 'result'],
  )
  return {
    observe(request: RequestContext, status: number, durationMs: number) {
      const { operation = 'none', cacheHit, rowsRead, engineMs } = request
      duration.observe({ operation, status }, durationMs / 1000)
      if (cacheHit !== undefined) cacheRequests.inc({ operation, result: cacheHit ? 'hit' : 'miss' })
      if (engineMs === 0) return
      rows.inc({ operation }, rowsRead)
      engine.inc({ operation }, engineMs / 1000)
    },
    registry,
  }
}
