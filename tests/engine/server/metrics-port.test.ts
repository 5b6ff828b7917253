import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, inject, test } from 'vitest'
import { freePort } from '../../support/free-port.ts'
import { type SpawnedScript, spawnScript } from '../../support/spawn-script.ts'

const folder = mkdtempSync(join(tmpdir(), 'metrics-'))
const started: SpawnedScript[] = []

afterAll(() => {
  for (const { child } of started) child.kill('SIGKILL')
  rmSync(folder, { recursive: true })
})

const programs = [
  { file: 'app/serve.ts', variable: 'METRICS_PORT', budget: 'key' },
  { file: 'app/collect.ts', variable: 'COLLECTOR_METRICS_PORT', budget: 'site' },
] as const

/** On the servers that other tests have pages on. */
const worker = { file: 'app/work.ts', variable: 'WORKER_METRICS_PORT', environment: { SCAN_EVERY_HOURS: '0' } } as const

function start(file: string, environment: Readonly<Record<string, string>>): SpawnedScript {
  const { readUrl, writeUrl, redisUrl } = inject('servers')
  const url = file === 'app/serve.ts' ? readUrl : writeUrl
  const defaults = { CLICKHOUSE_URL: url, REDIS_URL: redisUrl, PORT: '0', COLLECTOR_PORT: '0', DATA_DIR: folder }
  const script = spawnScript(file, [], { ...defaults, ...environment })
  started.push(script)
  return script
}

/** A request whose Host is a name, as from a page whose name was rebound to this machine. */
async function statusFor(host: string, port: number): Promise<number | undefined> {
  const request = get({ port, host: '127.0.0.1', path: '/metrics', headers: { Host: host } })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  response.resume()
  return response.statusCode
}

test.each(programs)('$file serves /metrics on $variable alone', async ({ file, variable, budget }) => {
  const port = await freePort()
  const script = start(file, { [variable]: String(port) })
  const [, url = ''] = await script.printed(/on (http:\/\/[\d.:]+)/)
  // A proxied request, as a scrape from another host can be.
  const scrape = () => fetch(`http://127.0.0.1:${port}/metrics`, { headers: { 'X-Forwarded-For': '203.0.113.7' } })
  const text = await (await scrape()).text()
  expect(text).toContain(`budget_refusals_total{budget="${budget}"} 0`)
  expect(text).toContain('redis_faults_total{kind="timeout"} 0')
  expect((await fetch(`${url}/metrics`)).status).toBe(404)
  expect((await fetch(`http://127.0.0.1:${port}/livez`)).status).toBe(404)
  for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, '[::1]']) expect(await statusFor(host, port)).toBe(200)
  for (const host of ['rebound.example', `metrics.internal:${port}`, '127.0.0.1.rebound.example']) {
    expect(await statusFor(host, port)).toBe(404)
  }
  script.child.kill('SIGTERM')
  expect(await script.ended()).toBe(0)
  await expect(scrape()).rejects.toThrow()
})

test('a METRICS_HOST that other machines reach is served to any Host', async () => {
  const port = await freePort()
  const script = start('app/serve.ts', { METRICS_PORT: String(port), METRICS_HOST: '0.0.0.0' })
  await script.printed(/on (http:\/\/[\d.:]+)/)
  expect(await statusFor(`metrics.internal:${port}`, port)).toBe(200)
})

test('the worker serves health beside its metrics, to this machine alone', async () => {
  const port = await freePort()
  const script = start(worker.file, { ...worker.environment, [worker.variable]: String(port) })
  await script.printed(/^Scans are disabled: SCAN_EVERY_HOURS is 0$/m)
  expect(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()).toContain('worker_lease_held 0')
  for (const path of ['livez', 'readyz', 'readyz/self']) {
    await expect.poll(async () => (await fetch(`http://127.0.0.1:${port}/${path}`)).status).toBe(200)
  }
  expect(await statusFor('rebound.example', port)).toBe(404)
})

test.each([...programs, worker])('$file names $variable where its port is taken', async ({ file, variable }) => {
  const blocker = createServer()
  const port = await freePort()
  await new Promise<void>((resolve) => blocker.listen(port, '127.0.0.1', resolve))
  const script = start(file, { [variable]: String(port) })
  expect(await script.ended()).toBe(1)
  expect(script.output()).toContain(`Port ${port} on 127.0.0.1 is in use; set ${variable} to another port\n`)
  blocker.close()
})
