import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, inject, test } from 'vitest'
import { connect } from '../../../queries/clickhouse/client.ts'
import { type SpawnedScript, spawnScript } from '../../support/spawn-script.ts'
import { createTenantWriter } from '../../support/tenants.ts'

interface Instance {
  readonly script: SpawnedScript
  readonly url: string
  ready: boolean
}

const folder = mkdtempSync(join(tmpdir(), 'drain-'))
const started: SpawnedScript[] = []
const cleanups: (() => unknown)[] = []

afterAll(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup()
  for (const { child } of started) child.kill('SIGKILL')
  rmSync(folder, { recursive: true })
})

function spawnApi(script: string, environment: Readonly<Record<string, string>> = {}): SpawnedScript {
  const { readUrl, redisUrl } = inject('servers')
  const defaults = { CLICKHOUSE_URL: readUrl, REDIS_URL: redisUrl, PORT: '0', DRAIN_SECONDS: '3' }
  const spawned = spawnScript(script, [], { ...defaults, ...environment })
  started.push(spawned)
  return spawned
}

async function startInstance(): Promise<Instance> {
  const script = spawnApi('app/serve.ts')
  const url = (await script.printed(/on (http\S+)/, 30_000)).at(1) ?? ''
  return { script, url, ready: await isReady(url) }
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

test('two instances restarted in turn under load fail no request', { timeout: 120_000 }, async () => {
  const database = connect(inject('servers').writeUrl)
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
  const clients = Promise.all(Array.from({ length: 8 }, client))
  await sleep(500)
  for (const [index, { script, url }] of [...instances.entries()]) {
    script.child.kill('SIGTERM')
    await expect.poll(() => isReady(url), { timeout: 2_500, interval: 50 }).toBe(false)
    expect((await fetch(`${url}/livez`)).status).toBe(200)
    expect(await script.ended()).toBe(0)
    instances[index] = await startInstance()
  }
  await sleep(500)
  loading = false
  await clients
  expect([...statuses.keys()]).toEqual([200])
  expect(statuses.get(200)).toBeGreaterThan(200)
})

test('the collector is not ready from its stop signal on, and serves until it has drained', async () => {
  const { writeUrl } = inject('servers')
  const environment = { CLICKHOUSE_URL: writeUrl, COLLECTOR_PORT: '0', DATA_DIR: folder }
  const collector = spawnApi('app/collect.ts', environment)
  const url = (await collector.printed(/on (http\S+)\/r\//, 30_000)).at(1) ?? ''
  expect((await fetch(`${url}/readyz`)).status).toBe(200)
  collector.child.kill('SIGTERM')
  await expect.poll(() => isReady(url), { timeout: 2_500, interval: 50 }).toBe(false)
  const ready = await fetch(`${url}/readyz`)
  expect(await ready.json()).toMatchObject({ status: 'failing', checks: { engine: 'ok', process: 'failing' } })
  const post = await fetch(`${url}/r/unknown`, {
    method: 'POST',
    headers: { 'Content-Type': 'text/plain' },
    body: '[]',
  })
  expect(post.status).toBe(404)
  expect(await collector.ended()).toBe(0)
})

test.each([
  [{ NODE_ENV: 'production', REDIS_URL: '' }, 1],
  [{ KUBERNETES_SERVICE_HOST: '10.0.0.1', REDIS_URL: '' }, 1],
  [{ REDIS_URL: '' }, 0],
  [{ NODE_ENV: 'production' }, 0],
])('with %j the log has %d warnings of budgets per process', async (environment, warnings) => {
  const script = spawnApi('app/serve.ts', { ...environment, DRAIN_SECONDS: '0' })
  await script.printed(/on (http\S+)/, 30_000)
  script.child.kill('SIGTERM')
  await script.ended()
  expect(script.output().match(/REDIS_URL is not set/g) ?? []).toHaveLength(warnings)
})
