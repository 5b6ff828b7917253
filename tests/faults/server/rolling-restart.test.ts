import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, inject, test } from 'vitest'
import { startApi } from '../../../app/api/start-api.ts'
import { readConfig } from '../../../app/config.ts'
import { startTestCollector } from '../../support/collector.ts'
import { connectPatiently } from '../../support/patience.ts'
import { type SpawnedScript, spawnScript } from '../../support/spawn-script.ts'
import { createTenantWriter } from '../../support/tenants.ts'

interface Instance {
  readonly url: string
  stop(): Promise<void>
  ready: boolean
}

/** Seconds in which a proxy finds out, on a busy machine too, that an instance is not ready. */
const drainSeconds = 8

const started: SpawnedScript[] = []
const cleanups: (() => unknown)[] = []

afterAll(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup()
  for (const { child } of started) child.kill('SIGKILL')
})

function spawnApi(script: string, environment: Readonly<Record<string, string>> = {}): SpawnedScript {
  const { readUrl, redisUrl } = inject('servers')
  const defaults = { CLICKHOUSE_URL: readUrl, REDIS_URL: redisUrl, PORT: '0', DRAIN_SECONDS: '0' }
  const spawned = spawnScript(script, [], { ...defaults, ...environment })
  started.push(spawned)
  return spawned
}

/** In this process, where no deadline ends a request. */
async function startInstance(): Promise<Instance> {
  const config = readConfig({ PORT: '0', LOG_LEVEL: 'silent', DRAIN_SECONDS: String(drainSeconds) })
  const database = connectPatiently(inject('servers').readUrl)
  const { url, stop } = await startApi(config, database)
  let stopped: Promise<void> | undefined
  const stopOnce = () => {
    stopped ??= stop().then(() => database.close())
    return stopped
  }
  cleanups.push(stopOnce)
  return { url, stop: stopOnce, ready: await isReady(url) }
}

const isReady = (url: string) =>
  fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  )

/** Routes by /readyz, polled each 100 ms, over connections it keeps, and retries nothing. */
async function startProxy(instances: Instance[]): Promise<string> {
  const agent = new Agent({ keepAlive: true })
  const probes = setInterval(() => {
    for (const instance of instances) void isReady(instance.url).then((ready) => Object.assign(instance, { ready }))
  }, 100)
  let routed = 0
  const server = createServer((incoming, response) => {
    const ready = instances.filter((instance) => instance.ready)
    const target = ready[routed++ % ready.length]
    const fail = () => void (response.headersSent || response.writeHead(502).end())
    if (!target) return fail()
    const upstream = request(target.url + incoming.url, { agent, headers: incoming.headers }, (received) => {
      response.writeHead(received.statusCode ?? 502)
      received.pipe(response)
    })
    upstream.on('error', fail).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanups.push(() => {
    clearInterval(probes)
    agent.destroy()
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

// At once, as both wait for their drains.
test.concurrent('two instances restarted in turn under load fail no request', async ({ expect }) => {
  const database = connectPatiently(inject('servers').writeUrl)
  cleanups.push(() => database.close())
  const writer = createTenantWriter(database)
  const limits = { keyLimit: 1_000_000, tenantLimit: 1_000_000 }
  const { key } = await writer.createKey(await writer.createTenant({ overrides: limits }))
  const instances = await Promise.all([startInstance(), startInstance()])
  const proxy = await startProxy(instances)

  const statuses = new Map<number, number>()
  let loading = true
  const client = async () => {
    while (loading) {
      const response = await fetch(`${proxy}/v1/reports/count`, { headers: { Authorization: `Bearer ${key}` } })
      await response.arrayBuffer()
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
      await sleep(20)
    }
  }
  async function served(): Promise<void> {
    const count = () => statuses.get(200) ?? 0
    const before = count()
    await expect.poll(count).toBeGreaterThan(before + 50)
  }
  const clients = Promise.all(Array.from({ length: 8 }, client))
  for (const [index, { url, stop }] of [...instances.entries()]) {
    await served()
    const stopped = stop()
    await expect.poll(() => isReady(url), { interval: 50 }).toBe(false)
    expect((await fetch(`${url}/livez`)).status).toBe(200)
    await stopped
    await served()
    instances[index] = await startInstance()
  }
  await served()
  loading = false
  await clients
  expect([...statuses.keys()]).toEqual([200])
})

test.concurrent('the collector is not ready from its stop signal on, and serves until it has drained', async ({
  expect,
}) => {
  const collector = await startTestCollector({ DRAIN_SECONDS: String(drainSeconds) })
  const { url } = collector
  await expect.poll(() => isReady(url)).toBe(true)
  const closed = collector.close()
  await expect.poll(() => isReady(url), { interval: 50 }).toBe(false)
  const ready = async () => (await fetch(`${url}/readyz`)).json()
  await expect.poll(ready).toMatchObject({ status: 'failing', checks: { engine: 'ok', process: 'failing' } })
  const post = await fetch(`${url}/r/unknown`, {
    method: 'POST',
    headers: { 'Content-Type': 'text/plain' },
    body: '[]',
  })
  expect(post.status).toBe(404)
  await closed
  expect(await isReady(url)).toBe(false)
})

test.each([
  [{ NODE_ENV: 'production', REDIS_URL: '' }, 1],
  [{ KUBERNETES_SERVICE_HOST: '10.0.0.1', REDIS_URL: '' }, 1],
  [{ REDIS_URL: '' }, 0],
  [{ NODE_ENV: 'production' }, 0],
])('with %j the log has %d warnings of budgets per process', async (environment, warnings) => {
  const script = spawnApi('app/serve.ts', environment)
  await script.printed(/on (http\S+)/)
  script.child.kill('SIGTERM')
  await script.ended()
  expect(script.output().match(/REDIS_URL is not set/g) ?? []).toHaveLength(warnings)
})
