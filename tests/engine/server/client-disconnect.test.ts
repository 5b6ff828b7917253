import { setImmediate as nextLoop } from 'node:timers/promises'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { untilVersionsExpire } from '../../../clickhouse/rollups/until-versions-expire.ts'
import type { Database } from '../../../queries/clickhouse/database.ts'
import { ClientDisconnected } from '../../../queries/clickhouse/with-timeout.ts'
import { sql } from '../../../queries/sql/sql.ts'
import { hourMs } from '../../../schema/durations.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import { createCountedBudgets } from '../../support/counted-budgets.ts'
import type { TestEngine } from '../../support/engine.ts'
import { freezeProcess } from '../../support/freeze-process.ts'
import { startMigratedEngine } from '../../support/migrated-engine.ts'
import { connectPatiently } from '../../support/patience.ts'
import type { TestKey } from '../../support/tenants.ts'

let engine: TestEngine
let database: Database
let writer: Database
let api: TestApi
let key: TestKey
const lines: string[] = []
const reads: string[] = []
const budgets = createCountedBudgets()

beforeAll(async () => {
  engine = await startMigratedEngine()
  const { reader: readUrl, writer: writeUrl } = engine.userUrls
  writer = connectPatiently(writeUrl)
  database = connectPatiently(readUrl)
  api = await startApi({
    readUrl,
    writeUrl,
    // Keys stay known while the engine is frozen.
    keyTtlMs: hourMs,
    onRead: ({ name }) => reads.push(name),
    budgets,
    log: pino({ level: 'debug' }, { write: (line: string) => lines.push(line) }),
  })
  key = await api.createKey(await api.createTenant())
})

afterAll(async () => {
  await api?.close()
  await Promise.all([database?.close(), writer?.close()])
  await engine?.end()
})

/** Runs while the engine is stopped, so that every query waits. */
async function whileFrozen(task: () => Promise<void>): Promise<void> {
  const pid = engine.pid() as number
  freezeProcess(pid)
  try {
    await task()
  } finally {
    process.kill(pid, 'SIGCONT')
  }
}

const logged = (requestId: string) =>
  lines.map((line) => JSON.parse(line)).find((line) => line.requestId === requestId && line.msg === 'request')

const to = Date.now()
const bounds = `from=${new Date(to - 3_600_000).toISOString()}&to=${new Date(to).toISOString()}`

/** Asks, and leaves when the signal says so. */
const send = (requestId: string, leaving?: AbortSignal, as = key, filter = '') =>
  fetch(`${api.url}/v1/reports/count?${bounds}${filter}`, {
    headers: { Authorization: `Bearer ${as.key}`, 'X-Request-Id': requestId },
    ...(leaving && { signal: leaving }),
  })

/** Resolves when a read of this name has begun since `reads` was emptied. */
const reading = (name: string) => expect.poll(() => reads, { interval: 10 }).toContain(name)

/** Resolves when so many requests more have begun, which read the same. */
async function joined(before: number, more: number): Promise<void> {
  await expect.poll(budgets.requests, { interval: 10 }).toBe(before + more)
  await nextLoop()
}

test('a read whose client disconnects ends at once, and the engine stops it', async () => {
  const leaving = new AbortController()
  // 17 minutes; row by row, because the engine refuses to sleep longer than three seconds in one block.
  const statement = sql`SELECT sum(sleepEachRow(0.1)) AS slept FROM numbers(10000) SETTINGS max_block_size = 1`
  const reading = database.read(
    { name: 'slow', statement, row: z.unknown(), pool: 'maintenance' },
    { signal: leaving.signal },
  )
  reading.catch(() => {})
  const running = () =>
    writer.read({
      name: 'listRunning',
      statement: sql`SELECT query FROM system.processes WHERE query LIKE '%sleepEachRow%' AND query NOT LIKE '%system.processes%'`,
      row: z.unknown(),
    })
  await expect.poll(running).toHaveLength(1)
  leaving.abort()
  await expect(reading).rejects.toBeInstanceOf(ClientDisconnected)
  await expect.poll(running).toHaveLength(0)
})

describe('a request whose client disconnects', () => {
  beforeAll(async () => {
    // The key is known, so that the query itself waits.
    expect((await send('warm')).status).toBe(200)
  })

  test('ends before its timeout, and is logged with status 499 and not as a failure', async () => {
    await whileFrozen(async () => {
      const leaving = new AbortController()
      reads.length = 0
      // The first request of its kind, so that no import version is looked up.
      const requested = send('left', leaving.signal, key, '&osName=Linux')
      await reading('countReports')
      leaving.abort()
      await expect(requested).rejects.toThrow()
      await expect.poll(() => logged('left')).toMatchObject({ status: 499 })
    })
    expect(lines.some((line) => line.includes('request failed'))).toBe(false)
    expect((await send('after')).status).toBe(200)
  })

  test('during its key lookup reads nothing', async () => {
    const unknown = await api.createKey(await api.createTenant())
    const leaving = new AbortController()
    await whileFrozen(async () => {
      reads.length = 0
      const requested = send('early', leaving.signal, unknown)
      await reading('findKey')
      leaving.abort()
      await expect(requested).rejects.toThrow()
    })
    await expect.poll(() => logged('early')).toMatchObject({ status: 499 })
    expect(logged('early').rowsRead ?? 0).toBe(0)
  })

  test('does not abort another caller of the same request', async () => {
    const leaving = new AbortController()
    let other: Promise<Response> | undefined
    // The first request of its kind, so that it is not cached.
    const filter = '&osName=Windows'
    await whileFrozen(async () => {
      reads.length = 0
      const requested = send('first', leaving.signal, key, filter)
      await reading('countReports')
      const before = budgets.requests()
      other = send('second', undefined, key, filter)
      await joined(before, 1)
      leaving.abort()
      await expect(requested).rejects.toThrow()
      await expect.poll(() => logged('first')).toMatchObject({ status: 499 })
    })
    expect((await other)?.status).toBe(200)
    expect(logged('second')).toMatchObject({ status: 200 })
  })

  test('does not abort others that wait for the same import version', async () => {
    const own = await api.createKey(await api.createTenant())
    const sendFor = (osName: string, requestId: string, signal?: AbortSignal) =>
      send(requestId, signal, own, `&osName=${osName}`)
    const systems = ['Windows', 'Linux', 'Android'] as const
    for (const times of [1, 2, 3]) for (const system of systems) await sendFor(system, `${system}${times}`)
    expect(systems.map((system) => logged(`${system}3`).cacheHit)).toEqual([true, true, true])
    await untilVersionsExpire()
    const leaving = new AbortController()
    const others: Promise<Response>[] = []
    await whileFrozen(async () => {
      reads.length = 0
      others.push(sendFor('Windows', 'looks'))
      await reading('listImportSteps')
      const before = budgets.requests()
      const requested = sendFor('Linux', 'leaves', leaving.signal)
      await joined(before, 1)
      others.push(sendFor('Android', 'waits'))
      await joined(before, 2)
      leaving.abort()
      await expect(requested).rejects.toThrow()
    })
    expect((await Promise.all(others)).map(({ status }) => status)).toEqual([200, 200])
    expect(logged('waits')).toMatchObject({ cacheHit: true })
  })
})
