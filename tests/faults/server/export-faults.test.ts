import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../../queries/clickhouse/database.ts'
import type { TestEngine } from '../../support/engine.ts'
import { startMigratedEngine } from '../../support/migrated-engine.ts'
import { connectPatiently } from '../../support/patience.ts'
import { type SpawnedScript, spawnScript } from '../../support/spawn-script.ts'
import { createTenantWriter, type TenantWriter, type TestKey } from '../../support/tenants.ts'

/** About 60 MB of NDJSON: more than sockets and streams hold. */
const [reportCount, sampleLength] = [30_000, 1_500]

let engine: TestEngine
let database: Database
let tenants: TenantWriter
/** Of a tenant each, with as many reports. */
let keys: readonly [TestKey, TestKey, TestKey]
let api: { readonly url: string; readonly script: SpawnedScript }

beforeAll(async () => {
  engine = await startMigratedEngine()
  database = connectPatiently(engine.userUrls.writer)
  tenants = createTenantWriter(database)
  keys = [await tenantWithReports(), await tenantWithReports(), await tenantWithReports()]
  api = await startApiProcess()
})

afterAll(async () => {
  api?.script.child.kill('SIGKILL')
  await database?.close()
  await engine?.end()
})

async function startApiProcess() {
  const script = spawnScript('app/serve.ts', [], {
    PORT: '0',
    CLICKHOUSE_URL: engine.userUrls.reader,
    LOG_LEVEL: 'warn',
  })
  const [, url = ''] = await script.printed(/Serving .* on (http:\S+)/)
  return { url, script }
}

async function tenantWithReports(): Promise<TestKey> {
  const tenantId = await tenants.createTenant()
  const columns = 'tenant_id, report_type, received_at, id, retention_days, weight, sample_rate, sample'
  const values = `'${tenantId}', 'csp-violation', now64(3) - number % 86400, generateUUIDv7(), 365, 1000000, 1`
  const sample = `randomPrintableASCII(${sampleLength})`
  await database.command(`INSERT INTO reports (${columns}) SELECT ${values}, ${sample} FROM numbers(${reportCount})`)
  return tenants.createKey(tenantId)
}

interface Opened {
  readonly response: Response
  readonly reader: ReadableStreamDefaultReader<Uint8Array>
  leave(): void
}

/** An export of which one chunk was read; it is refused where no slot is free within 10 s. */
async function tryOpen({ key }: TestKey): Promise<Opened> {
  const leaving = new AbortController()
  const headers = { Authorization: `Bearer ${key}`, 'Accept-Encoding': 'identity' }
  const response = await fetch(`${api.url}/v1/reports/export`, { headers, signal: leaving.signal })
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  await reader.read()
  return { response, reader, leave: () => leaving.abort() }
}

/** The program has deadlines that a busy machine reaches. */
async function open(key: TestKey): Promise<Opened> {
  let opened = await tryOpen(key)
  while (opened.response.status === 503) opened = await tryOpen(key)
  expect(opened.response.status).toBe(200)
  return opened
}

/** Reads to the end; the text of the last chunk. */
async function drain({ reader }: Opened, pauseMs = 0): Promise<string> {
  let last: Uint8Array | undefined
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return Buffer.from(last ?? []).toString()
    last = value
    if (pauseMs > 0) await sleep(pauseMs)
  }
}

const whole = `{"end":{"reports":${reportCount}}}\n`

test('a slow reader gets everything, while others are served', async () => {
  const slow = drain(await open(keys[0]), 2)
  const other = () => fetch(`${api.url}/v1/reports/count`, { headers: { Authorization: `Bearer ${keys[0].key}` } })
  await expect.poll(async () => (await other()).status).toBe(200)
  expect((await slow).endsWith(whole)).toBe(true)
})

test('a killed engine never looks like an end', async () => {
  const opened = await open(keys[0])
  const pid = engine.pid() as number
  process.kill(pid, 'SIGKILL')
  await expect(drain(opened)).rejects.toThrow()
  // It is started again.
  await expect.poll(() => database.ping()).toBe(true)
  expect(api.script.output()).toContain('Download interrupted')
})

test('a killed API never looks like an end', async () => {
  const opened = await open(keys[0])
  api.script.child.kill('SIGKILL')
  await expect(drain(opened)).rejects.toThrow()
  api = await startApiProcess()
})

describe('slots', () => {
  test('one of a tenant at a time: the next begins when the first ends or its reader leaves', async () => {
    const [key] = keys
    const first = await open(key)
    let isOpened = false
    const second = open(key).then((opened) => {
      isOpened = true
      return opened
    })
    await sleep(500)
    expect(isOpened).toBe(false)
    first.leave()
    expect((await drain(await second)).endsWith(whole)).toBe(true)
  })

  test('a reader that takes nothing loses its slot, and never sees an end', async () => {
    const [key] = keys
    const stalled = await open(key)
    const status = async () => {
      const { response, leave } = await tryOpen(key)
      leave()
      return response.status
    }
    await expect.poll(status, { interval: 100 }).toBe(200)
    await expect(drain(stalled)).rejects.toThrow()
    await expect.poll(() => api.script.output()).toContain('The client stopped reading')
  })

  test('two in all: a third is 503 after its wait for a slot, and says when to come back', async () => {
    const opened = [await open(keys[0]), await open(keys[1])]
    const headers = { Authorization: `Bearer ${keys[2].key}` }
    const third = await fetch(`${api.url}/v1/reports/export`, { headers })
    expect(third.status).toBe(503)
    expect(Number(third.headers.get('Retry-After'))).toBeGreaterThan(0)
    for (const one of opened) one.leave()
    await drain(await open(keys[2]))
  })
})
