import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { ClickHouseLogLevel, createClient } from '@clickhouse/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ask, startTestEngine, type TestEngine } from '../support/engine.ts'

const quiet = { level: ClickHouseLogLevel.OFF }
let engine: TestEngine

beforeAll(async () => {
  engine = await startTestEngine()
})

afterAll(() => engine.end())

/** Resident memory of the engine's process in bytes. */
function residentBytes(): number {
  const status = readFileSync(`/proc/${engine.pid()}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1024
}

async function running(comment: string): Promise<string> {
  const text = `SELECT count() FROM system.processes WHERE Settings['log_comment'] = '${comment}'`
  return (await ask(engine, text)).text.trim()
}

async function until(comment: string, count: string): Promise<void> {
  await expect.poll(() => running(comment), { timeout: 10_000, interval: 20 }).toBe(count)
}

describe('a large result', () => {
  it('arrives whole and in order', async () => {
    const answer = await engine.write.query({ query: 'SELECT number FROM numbers(3000000)', format: 'TabSeparated' })
    let [rows, sum] = [0, 0]
    for await (const batch of answer.stream()) {
      for (const row of batch) {
        rows++
        sum += Number(row.text)
      }
    }
    expect([rows, sum]).toEqual([3_000_000, (2_999_999 * 3_000_000) / 2])
  })

  it('waits for a slow reader instead of filling memory', async () => {
    const before = residentBytes()
    const rows = 'SELECT repeat(toString(number), 200) FROM numbers(2000000)'
    const login = `writer:${engine.writer.password}`
    const seen = await new Promise<number>((resolve, reject) => {
      const asking = request(engine.url, { method: 'POST', auth: login }, (response) => {
        response.on('error', () => undefined)
        setTimeout(() => {
          resolve(residentBytes())
          response.destroy()
        }, 1_500)
      })
      asking.on('error', reject)
      asking.end(rows)
    })
    // The whole result is 2.5 GB; a few blocks of 80 MB are on their way at a time.
    expect(seen - before).toBeLessThan(1024 * 1024 * 1024)
  })
})

describe('an error in the middle of a result', () => {
  const query = 'SELECT number, throwIf(number = 900000) AS x FROM numbers(1000000)'

  it.each(['JSONEachRow', 'JSONCompactEachRow', 'TabSeparated', 'CSV'] as const)(
    'reaches the client in %s',
    async (format) => {
      const settings = { max_block_size: '10000' }
      const answer = await engine.write.query({ query, format, clickhouse_settings: settings })
      const read = async () => {
        let rows = 0
        for await (const batch of answer.stream()) rows += batch.length
        return rows
      }
      await expect(read()).rejects.toThrow(/non-zero|throwIf/)
    },
  )

  it('reaches the client through gzip', async () => {
    const client = createClient({ url: engine.url, ...engine.writer, compression: { response: true }, log: quiet })
    const answer = await client.query({
      query,
      format: 'JSONEachRow',
      clickhouse_settings: { max_block_size: '10000' },
    })
    await expect(answer.json()).rejects.toThrow()
    await client.close()
  })

  it('cuts the body for any other client', async () => {
    await expect(ask(engine, query, { as: 'writer', search: { max_block_size: '10000' } })).rejects.toThrow()
  })

  it('never completes a single document', async () => {
    const answer = await ask(engine, `${query} FORMAT JSON`, { as: 'writer', search: { max_block_size: '10000' } })
    expect(answer).toMatchObject({ status: 500, text: expect.stringMatching(/^Code: 395/) })
  })
})

describe('a client that leaves', () => {
  const endless = 'SELECT sum(sleepEachRow(0.01)) FROM numbers(100000) SETTINGS max_block_size = 10'

  it.each(['JSONCompact', 'JSONEachRow'] as const)('takes its running query along (%s)', async (format) => {
    const leaving = new AbortController()
    const log_comment = `leaving ${format}`
    const answer = engine.read.query({
      query: endless,
      format,
      clickhouse_settings: { log_comment },
      abort_signal: leaving.signal,
    })
    await until(log_comment, '1')
    leaving.abort()
    await expect(answer).rejects.toThrow(/abort/i)
    await until(log_comment, '0')
  })

  it('takes its unread result along', async () => {
    const log_comment = 'leaving unread'
    const answer = await engine.read.query({
      query: 'SELECT repeat(toString(number), 100) FROM numbers(900000)',
      format: 'TabSeparated',
      clickhouse_settings: { log_comment },
    })
    await until(log_comment, '1')
    answer.close()
    await until(log_comment, '0')
  })

  it('leaves the query of another who chose the same query id', async () => {
    const leaving = new AbortController()
    const start = (query: string, log_comment: string, abort_signal = new AbortController().signal) => {
      const clickhouse_settings = { log_comment, max_block_size: '1' }
      return engine.read.query({ query, format: 'JSONCompact', query_id: 'shared', clickhouse_settings, abort_signal })
    }
    const left = start(endless, 'shared, left', leaving.signal)
    const other = start('SELECT sum(sleepEachRow(0.05)) FROM numbers(30)', 'shared, stays')
    await until('shared, left', '1')
    await until('shared, stays', '1')
    leaving.abort()
    await expect(left).rejects.toThrow(/abort/i)
    expect((await (await other).json<number[]>()).data).toEqual([[0]])
  })

  it('frees the place of its query', async () => {
    for (let i = 0; i < 20; i++) {
      const abort_signal = AbortSignal.timeout(20)
      await expect(engine.read.query({ query: endless, format: 'JSON', abort_signal })).rejects.toThrow(/abort/i)
    }
    expect((await ask(engine, 'SELECT 1')).text).toBe('1\n')
  })
})

describe('too many queries', () => {
  it('wait, and beyond the queue get 503', async () => {
    const slow = 'SELECT sleep(1) FORMAT JSONCompact'
    const answers = await Promise.all(Array.from({ length: 300 }, () => fetchStatus(slow)))
    const refused = answers.filter(({ status }) => status === 503)
    expect(refused.length).toBeGreaterThan(0)
    expect(refused.every(({ code }) => code === '202')).toBe(true)
  })
})

/** Leaves as soon as the status is known or two seconds are over: only refusals come that early. */
async function fetchStatus(text: string): Promise<{ status: number; code: string | null }> {
  try {
    const response = await fetch(engine.url, { method: 'POST', body: text, signal: AbortSignal.timeout(2_000) })
    await response.body?.cancel()
    return { status: response.status, code: response.headers.get('x-clickhouse-exception-code') }
  } catch {
    return { status: 0, code: null }
  }
}
