import type { AddressInfo } from 'node:net'
import { createServer, type Server } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest'
import { hashKey } from '../../../app/api-keys/key-format.ts'
import packageJson from '../../../package.json' with { type: 'json' }
import type { Database } from '../../../queries/clickhouse/database.ts'
import { type FaultServer, startFaultServer } from '../../support/faults.ts'
import { type ExportedSpan, type OtlpReceiver, startOtlpReceiver } from '../../support/otlp-receiver.ts'
import { connectPatiently } from '../../support/patience.ts'
import { type SpawnedScript, spawnScript } from '../../support/spawn-script.ts'
import { createTenantWriter } from '../../support/tenants.ts'

const callersTrace = '4bf92f3577b34da6a3ce929d0e0e4736'
const callersSpan = '00f067aa0ba902b7'

let writer: Database
let proxy: FaultServer
let receiver: OtlpReceiver
let key: string
const started: SpawnedScript[] = []

beforeAll(async () => {
  const { readUrl, writeUrl } = inject('servers')
  writer = connectPatiently(writeUrl)
  const tenants = createTenantWriter(writer)
  key = (await tenants.createKey(await tenants.createTenant())).key
  proxy = await startFaultServer(readUrl)
  receiver = await startOtlpReceiver()
})

afterEach(() => proxy.inject())

afterAll(async () => {
  for (const { child } of started) child.kill('SIGKILL')
  await Promise.all([receiver?.close(), proxy?.close(), writer?.close()])
})

/** The API with spans exported every 50 ms. */
async function serve(environment: Readonly<Record<string, string>>) {
  const addresses = { CLICKHOUSE_URL: proxy.url, REDIS_URL: inject('servers').redisUrl, PORT: '0' }
  const script = spawnScript('app/serve.ts', [], { ...addresses, OTEL_BSP_SCHEDULE_DELAY: '50', ...environment })
  started.push(script)
  const [, url = ''] = await script.printed(/on (http:\/\/[\d.:]+)/)
  const send = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    fetch(url + path, { headers: { Authorization: `Bearer ${key}`, ...headers } })
  return { ...script, send }
}

const traced = (environment: Readonly<Record<string, string>> = {}) =>
  serve({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, ...environment })

const requestSpans = (requestId: string) =>
  receiver.spans().filter(({ attributes }) => String(attributes['http.response.header.x-request-id']) === requestId)

/** A request's span and those below it, once it was exported. */
async function treeOf(requestId: string): Promise<{ request: ExportedSpan; children: ExportedSpan[] }> {
  await expect.poll(() => requestSpans(requestId)).toHaveLength(1)
  const [request] = requestSpans(requestId) as [ExportedSpan]
  return { request, children: receiver.spans().filter(({ parentId }) => parentId === request.spanId) }
}

test('a request, its budgets and its statements are of the caller’s trace, and ClickHouse is told of it', async () => {
  const api = await traced({
    OTEL_SERVICE_NAME: 'reports-api',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20abc',
  })
  const continued: string[] = []
  proxy.inject(async ({ headers }) => {
    // Statements of no request, such as those of the start, have none.
    if (headers.traceparent) continued.push(headers.traceparent.toString())
    return undefined
  })
  // A named end is read without the import version.
  const response = await api.send(`/v1/reports/count?directive=private-directive&to=${new Date().toISOString()}`, {
    'X-Request-Id': 'tree-1',
    traceparent: `00-${callersTrace}-${callersSpan}-01`,
  })
  expect(response.status).toBe(200)
  const { request, children } = await treeOf('tree-1')
  expect(request).toMatchObject({
    name: 'GET /v1/reports/count',
    kind: 2,
    status: 0,
    traceId: callersTrace,
    parentId: callersSpan,
    attributes: {
      'http.request.method': 'GET',
      'http.route': '/v1/reports/count',
      'http.response.status_code': 200,
      'url.path': '/v1/reports/count',
      'url.scheme': 'http',
      'http.response.header.x-request-id': ['tree-1'],
    },
    resource: { 'service.name': 'reports-api', 'service.version': packageJson.version },
  })
  expect(children.map(({ name }) => name).sort()).toEqual(['countReports', 'countReports', 'findKey', 'takeBudgets'])
  for (const { traceId, kind, status } of children) {
    expect({ traceId, kind, status }).toEqual({ traceId: callersTrace, kind: 3, status: 0 })
  }
  const named = (name: string) => children.find((span) => span.name === name)?.attributes
  expect(named('takeBudgets')).toEqual({ 'db.system.name': 'redis' })
  expect(named('findKey')).toEqual({
    'db.system.name': 'clickhouse',
    'db.query.summary': 'findKey',
    'db.query.text': expect.stringMatching(/^SELECT .*\{p0:String\}/s),
    'clickhouse.read_rows': expect.any(Number),
    'clickhouse.read_bytes': expect.any(Number),
    'clickhouse.elapsed_ms': expect.any(Number),
  })
  expect(named('findKey')?.['clickhouse.read_rows']).toBeGreaterThan(0)
  const statements = children.filter(({ name }) => name !== 'takeBudgets')
  expect(continued.sort()).toEqual(statements.map(({ spanId }) => `00-${callersTrace}-${spanId}-01`).sort())
  expect(receiver.posts.at(-1)).toMatchObject({ path: '/v1/traces', headers: { authorization: 'Basic abc' } })
})

test('no exported byte is of a key, a query string or a filter’s value; probes have no span', async () => {
  const api = await traced()
  expect((await api.send('/v1/reports?blockedHost=private-host.example', { 'X-Request-Id': 'bytes-1' })).status).toBe(
    200,
  )
  expect((await api.send(`/v1/nothing?key=${key}`, { 'X-Request-Id': 'bytes-2' })).status).toBe(404)
  await expect.poll(async () => (await api.send('/readyz')).status).toBe(200)
  expect((await api.send('/v1/me', { 'X-Request-Id': 'bytes-3', Authorization: 'Bearer srk_live_guess' })).status).toBe(
    401,
  )
  expect((await treeOf('bytes-1')).children.map(({ name }) => name)).toContain('listReports')
  const unknown = (await treeOf('bytes-2')).request
  expect(unknown).toMatchObject({ name: 'GET', attributes: { 'http.response.status_code': 404 }, status: 0 })
  await treeOf('bytes-3')
  const all = Buffer.concat(receiver.posts.map(({ body }) => body)).toString('latin1')
  for (const secret of [
    key,
    key.slice(20),
    hashKey(key),
    'srk_live_',
    'private-',
    'readyz',
    'listAppliedMigrations',
    'key=',
    'blockedHost=',
  ]) {
    expect(all).not.toContain(secret)
  }
})

test('a statement that ClickHouse refuses fails its span and the request’s, with the name of the error alone', async () => {
  const api = await traced()
  proxy.inject(
    () =>
      new Response('Code: 241. DB::Exception: private-value. (MEMORY_LIMIT_EXCEEDED) (version 26.7)', { status: 500 }),
    (query) => query === 'countReports',
  )
  expect((await api.send('/v1/reports/count', { 'X-Request-Id': 'failed-1' })).status).toBe(503)
  const { request, children } = await treeOf('failed-1')
  const failure = { status: 2, attributes: { 'error.type': 'MEMORY_LIMIT_EXCEEDED' } }
  expect(request).toMatchObject(failure)
  expect(request.attributes['http.response.status_code']).toBe(503)
  expect(children.find(({ name }) => name === 'countReports')).toMatchObject(failure)
  expect(children.find(({ name }) => name === 'findKey')).toMatchObject({ status: 0 })
  expect(Buffer.concat(receiver.posts.map(({ body }) => body)).toString('latin1')).not.toContain('private-value')
})

test('an export’s span ends with its last byte, and a clean stop sends the spans that wait', async () => {
  const api = await traced({ OTEL_BSP_SCHEDULE_DELAY: '60000' })
  const exported = await api.send('/v1/reports/export?reportType=crash', { 'X-Request-Id': 'export-1' })
  await exported.text()
  expect(requestSpans('export-1')).toEqual([])
  api.child.kill('SIGTERM')
  expect(await api.ended()).toBe(0)
  const { request, children } = await treeOf('export-1')
  expect(request).toMatchObject({ name: 'GET /v1/reports/export', status: 0 })
  expect(children.map(({ name }) => name)).toContain('exportReports')
})

test.each(['always_off', 'parentbased_always_off'])('OTEL_TRACES_SAMPLER=%s exports nothing', async (sampler) => {
  const api = await traced({ OTEL_TRACES_SAMPLER: sampler })
  await expect.poll(async () => (await api.send('/v1/me', { 'X-Request-Id': sampler })).status).toBe(200)
  api.child.kill('SIGTERM')
  expect(await api.ended()).toBe(0)
  expect(requestSpans(sampler)).toEqual([])
})

/** A collector that accepts connections and does not respond. @param timeout of an export, in milliseconds. */
async function beforeFrozenCollector(timeout: string) {
  let connections = 0
  const frozen: Server = createServer(() => connections++)
  await new Promise<void>((resolve) => frozen.listen(0, '127.0.0.1', resolve))
  const { port } = frozen.address() as AddressInfo
  const api = await serve({
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    OTEL_EXPORTER_OTLP_TIMEOUT: timeout,
  })
  const sendUntil = async (wanted: number) => {
    while (connections < wanted) {
      await api.send('/v1/me')
      await sleep(60)
    }
  }
  return { api, sendUntil, frozen }
}

test('a frozen collector delays neither requests nor the stop', async () => {
  // An hour for an export: what waited for one would not end.
  const { api, sendUntil, frozen } = await beforeFrozenCollector('3600000')
  await sendUntil(1)
  await expect.poll(async () => (await api.send('/v1/me')).status).toBe(200)
  api.child.kill('SIGTERM')
  expect(await api.ended()).toBe(0)
  frozen.close()
})

test('a frozen collector is one line in the log', async () => {
  const { api, sendUntil, frozen } = await beforeFrozenCollector('300')
  await sendUntil(3)
  await api.printed(/The trace collector does not respond/)
  api.child.kill('SIGTERM')
  expect(await api.ended()).toBe(0)
  expect(api.output().match(/The trace collector does not respond/g)).toHaveLength(1)
  frozen.close()
})

test('without OTEL_EXPORTER_OTLP_ENDPOINT no part of the SDK is loaded, and nothing is sent', async () => {
  const loaded = async (api: Awaited<ReturnType<typeof serve>>) => {
    const response = await api.send('/v1/me')
    expect(response.status, await response.text()).toBe(200)
    api.child.kill('SIGTERM')
    expect(await api.ended()).toBe(0)
    return [...new Set(api.output().match(/@opentelemetry\/[a-z-]+/g))].sort()
  }
  const modules = { NODE_DEBUG: 'module' }
  expect(await loaded(await traced(modules))).toContain('@opentelemetry/sdk-trace-base')
  const posts = receiver.posts.length
  // The metrics library has this part.
  expect(await loaded(await serve(modules))).toEqual(['@opentelemetry/api'])
  expect(receiver.posts).toHaveLength(posts)
})

test('a setting that OpenTelemetry would ignore ends the start with what is allowed', async () => {
  const script = spawnScript('app/serve.ts', [], { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' })
  expect(await script.ended()).toBe(1)
  expect(script.output()).toContain('OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf')
})
