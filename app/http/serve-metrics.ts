import { getConnInfo } from '@hono/node-server/conninfo'
import { type Context, Hono } from 'hono'
import type { Registry } from 'prom-client'
import type { Config } from '../config.ts'
import { createResponse, uncachedHeaders } from '../pipeline/json-response.ts'
import { rejectOtherMethods } from '../pipeline/reject-other-methods.ts'
import { type ApiEnv, headersOf } from '../pipeline/request-context.ts'
import { type Listener, listen } from './listen.ts'

const loopback = /^(127\.|::1$|::ffff:127\.)/

/** A METRICS_HOST that only this machine reaches. */
const isLoopback = (host: string) => host === 'localhost' || loopback.test(host)

const proxyHeaders = ['X-Forwarded-For', 'X-Forwarded-Host', 'X-Real-IP', 'Forwarded', 'Via']

const localHost = /^(localhost|127\.[\d.]+|\[::1\])$/

/** A page in a browser on this machine whose host name was rebound to it sends that name. */
const namesThisMachine = (c: Context<ApiEnv>) => localHost.test(new URL(c.req.url).hostname)

/** A proxy on this machine connects from loopback too, but adds headers. */
function fromThisMachine(c: Context<ApiEnv>): boolean {
  const proxied = proxyHeaders.some((name) => c.req.header(name) !== undefined)
  const isLocal = loopback.test(getConnInfo(c).remote.address ?? '')
  return isLocal && !proxied && namesThisMachine(c)
}

async function respondMetrics(registry: Registry, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  const text = await registry.metrics()
  return createResponse(text, 200, { ...uncachedHeaders, 'Content-Type': registry.contentType, ...headers })
}

/** Serves a registry at `/metrics` to this machine; other clients get 404. */
export function mountMetrics(app: Hono<ApiEnv>, registry: Registry): void {
  app.use('/metrics', async (c, next) => (fromThisMachine(c) ? next() : c.notFound()))
  app.get('/metrics', (c) => respondMetrics(registry, headersOf(c.get('request'))))
  rejectOtherMethods(app, '/metrics')
}

type MetricsVariable = 'METRICS_PORT' | 'COLLECTOR_METRICS_PORT' | 'WORKER_METRICS_PORT'

/**
 * Serves a registry at `/metrics` on a separate port, to any client that reaches METRICS_HOST; undefined if no port is
 * set.
 * @param mount adds further paths.
 */
export async function listenForMetrics(
  config: Config,
  variable: MetricsVariable,
  registry: Registry,
  { mount }: { readonly mount?: (app: Hono<ApiEnv>) => void } = {},
): Promise<Listener | undefined> {
  const port = config[variable]
  if (port === undefined) return undefined
  const app = new Hono<ApiEnv>()
  if (isLoopback(config.METRICS_HOST)) app.use(async (c, next) => (namesThisMachine(c) ? next() : c.notFound()))
  mount?.(app)
  app.get('/metrics', () => respondMetrics(registry))
  return listen(app, port, config.METRICS_HOST, { variable })
}
