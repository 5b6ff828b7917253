import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { createClient } from '@clickhouse/client'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ask, startTestEngine, type TestEngine } from '../support/engine.ts'

let engine: TestEngine

beforeAll(async () => {
  engine = await startTestEngine()
  const window = 'SETTINGS non_replicated_deduplication_window = 1000'
  for (const query of [
    `CREATE TABLE rows (id UInt64, name String, at DateTime64(3)) ENGINE = MergeTree ORDER BY id ${window}`,
    `CREATE TABLE totals (name String, reports UInt64) ENGINE = SummingMergeTree ORDER BY name ${window}`,
    'CREATE MATERIALIZED VIEW to_totals TO totals AS SELECT name, count() AS reports FROM rows GROUP BY name',
  ]) {
    await engine.write.command({ query })
  }
})

beforeEach(async () => {
  await engine.write.command({ query: 'TRUNCATE TABLE rows' })
  await engine.write.command({ query: 'TRUNCATE TABLE totals' })
})

afterAll(() => engine.end())

const oneBlock = {
  max_insert_block_size: '100000000',
  min_insert_block_size_rows: '100000000',
  min_insert_block_size_bytes: '10000000000',
  input_format_parallel_parsing: 0,
} as const

async function counts(): Promise<string> {
  const text = 'SELECT (SELECT count() FROM rows), (SELECT sum(reports) FROM totals)'
  return (await ask(engine, text)).text.trim()
}

async function parts(): Promise<number> {
  return Number((await ask(engine, "SELECT count() FROM system.parts WHERE table = 'rows' AND active")).text)
}

describe('an insert', () => {
  it('takes rows from an array', async () => {
    const values = [{ id: '18446744073709551615', name: 'it\'s \\ \n\t"x" 😀', at: '2020-01-01 00:00:00.123' }]
    const done = await engine.write.insert({ table: 'rows', values, format: 'JSONEachRow' })
    expect(done.summary?.written_rows).toBe('2')
    const query = 'SELECT id::String AS id, name, at FROM rows'
    expect(await (await engine.read.query({ query, format: 'JSONEachRow' })).json()).toEqual(values)
  })

  it('takes rows from a stream, packed too', async () => {
    const client = createClient({ url: engine.url, ...engine.writer, compression: { request: true } })
    const rows = (from: number) => Array.from({ length: 20_000 }, (_, id) => ({ id: from + id, name: 'n', at: 0 }))
    await client.insert({ table: 'rows', values: Readable.from(rows(0)), format: 'JSONEachRow' })
    await engine.write.insert({ table: 'rows', values: Readable.from(rows(20_000)), format: 'JSONEachRow' })
    await client.close()
    expect(await counts()).toBe('40000\t40000')
  })

  it.each([
    ['INSERT INTO rows (id, name) FORMAT TabSeparated\n1\ta\\tb\n2\tc\n', 2],
    ['INSERT INTO rows (id, name) FORMAT JSONCompactEachRow [1,"FORMAT"]\n[2,"x"]', 2],
    ["INSERT INTO rows (id, name) VALUES (1, 'a;b'), (2, 'c');\n", 2],
    ["/* c */ insert into rows (id, name) -- format X\nvalues (1, 'a')", 1],
    ['INSERT INTO rows (id, name) SETTINGS max_insert_block_size = 10 FORMAT JSONEachRow {"id":1,"name":"s"}', 1],
    ["INSERT INTO rows SELECT number, 'format', 0 FROM numbers(3)", 3],
    ['INSERT INTO rows FORMAT JSONEachRow', 0],
  ])('finds its data behind its head: %s', async (text, rows) => {
    expect(await ask(engine, text, { as: 'writer' })).toMatchObject({ status: 200, text: '' })
    expect(await counts()).toBe(`${rows}\t${rows}`)
  })

  it.each([
    ['CSV', '1,"two\n\nlines; SELECT 1"\n2,"x"\n', '1\ttwo\\n\\nlines; SELECT 1\n2\tx\n'],
    ['JSONEachRow', '\n\n{"id":1,"name":"a"}\n\nINSERT INTO rows (id) VALUES (7)', ''],
    ['JSONEachRow', '{"id":1,"name":"a"}\n\n{"id":2,"name":"b"}\n\n', '1\ta\n2\tb\n'],
    ['TabSeparated', '1\ta\n\nDROP TABLE rows', ''],
    ['Values', "(1, 'a'); DROP TABLE rows", '1\ta\n'],
  ])('never runs its data: %s %j', async (format, data, rows) => {
    const search = { query: `INSERT INTO rows (id, name) FORMAT ${format}` }
    expect((await ask(engine, data, { as: 'writer', search })).status).toBe(rows === '' ? 400 : 200)
    expect((await ask(engine, 'SELECT id, name FROM rows ORDER BY id')).text).toBe(rows)
  })

  it('takes its data from the body when the URL holds its head', async () => {
    const search = { query: 'INSERT INTO rows (id, name) FORMAT JSONEachRow' }
    const body = gzipSync('{"id":1,"name":"a"}\n{"id":2,"name":"b"}')
    const login = Buffer.from(`writer:${engine.writer.password}`).toString('base64')
    const headers = { Authorization: `Basic ${login}`, 'Content-Encoding': 'gzip' }
    const answer = await fetch(`${engine.url}/?${new URLSearchParams(search)}`, { method: 'POST', body, headers })
    expect(answer.status).toBe(200)
    expect(await counts()).toBe('2\t2')
  })

  it('takes binary rows byte by byte', async () => {
    const row = (id: number, name: Buffer) => {
      const bytes = Buffer.alloc(8)
      bytes.writeBigUInt64LE(BigInt(id))
      return Buffer.concat([bytes, Buffer.from([name.length]), name])
    }
    const body = Buffer.concat([row(0x0a0a20, Buffer.from('\n \0;')), row(2, Buffer.from([0xff, 0xfe]))])
    const login = Buffer.from(`writer:${engine.writer.password}`).toString('base64')
    const search = new URLSearchParams({ query: 'INSERT INTO rows (id, name) FORMAT RowBinary' })
    const headers = { Authorization: `Basic ${login}` }
    expect((await fetch(`${engine.url}/?${search}`, { method: 'POST', body, headers })).status).toBe(200)
    const kept = await ask(engine, 'SELECT id, hex(name) FROM rows ORDER BY id')
    expect(kept.text).toBe('2\tFFFE\n657952\t0A20003B\n')
  })

  it('says what is wrong with a row and stores none', async () => {
    const answer = await ask(engine, 'INSERT INTO rows FORMAT JSONEachRow {"id":1}\n{"id":"x"}', { as: 'writer' })
    expect(answer).toMatchObject({ status: 400, text: expect.stringMatching(/^Code: \d+\. .*row 2/s) })
    expect(answer.text).not.toContain('incoming/')
    expect(await counts()).toBe('0\t0')
  })

  it('leaves no file of its data behind, stored or refused', async () => {
    for (const [id, status] of Object.entries({ '1': 200, '"x"': 400 })) {
      const text = `INSERT INTO rows FORMAT JSONEachRow {"id":${id}}`
      expect(await ask(engine, text, { as: 'writer' })).toMatchObject({ status })
    }
    await expect.poll(() => readdirSync(join(engine.dataDir, 'incoming'))).toEqual([])
  })

  it('refuses a table that is not there', async () => {
    const answer = await ask(engine, 'INSERT INTO nowhere FORMAT JSONEachRow {"id":1}', { as: 'writer' })
    expect(answer).toMatchObject({ status: 404, text: expect.stringContaining('UNKNOWN_TABLE') })
  })

  it('may not read a file of the machine', async () => {
    const text = "INSERT INTO rows (name) FROM INFILE '/etc/hostname' FORMAT LineAsString"
    expect(await ask(engine, text, { as: 'writer' })).toMatchObject({ status: 501 })
  })
})

describe('a long body', () => {
  const line = `{"id":1,"name":"${'x'.repeat(400)}"}\n`
  const insert = (lines: number, search: Record<string, string>) => {
    const query = 'INSERT INTO rows (id, name) FORMAT JSONEachRow'
    return ask(engine, line.repeat(lines), { as: 'writer', search: { query, ...search } })
  }
  const asText = Object.fromEntries(Object.entries(oneBlock).map(([name, value]) => [name, String(value)]))

  it('of 64 MB is one block', async () => {
    expect(await insert(150_000, asText)).toMatchObject({ status: 200 })
    expect(await counts()).toBe('150000\t150000')
    expect(await parts()).toBe(1)
  })

  it('of more keeps the deduplication token of its blocks', async () => {
    const search = {
      max_insert_block_size: '50000',
      min_insert_block_size_rows: '50000',
      input_format_parallel_parsing: '0',
      insert_deduplication_token: 'long',
    }
    for (let attempt = 0; attempt < 2; attempt++) {
      expect(await insert(300_000, search)).toMatchObject({ status: 200 })
      expect(await counts()).toBe('300000\t300000')
    }
  })
})

describe('a deduplication token', () => {
  const settings = { ...oneBlock, deduplicate_blocks_in_dependent_materialized_views: 1 } as const
  const batch = (size: number) => Array.from({ length: size }, (_, id) => ({ id, name: `n${id % 7}`, at: 0 }))

  function insert(token: string, size: number): Promise<unknown> {
    const clickhouse_settings = { ...settings, insert_deduplication_token: token }
    return engine.write.insert({ table: 'rows', values: batch(size), format: 'JSONEachRow', clickhouse_settings })
  }

  it('stores the same insert once, in the table and in the view', async () => {
    await insert('a', 1_000)
    await insert('a', 1_000)
    expect(await counts()).toBe('1000\t1000')
    await insert('b', 1_000)
    expect(await counts()).toBe('2000\t2000')
  })

  it('heals an insert that SIGKILL cut', async () => {
    for (let attempt = 0; attempt < 3; attempt++) {
      const first = insert(`cut ${attempt}`, 50_000).catch(() => undefined)
      await new Promise((resolve) => setTimeout(resolve, 40 + attempt * 60))
      process.kill(engine.pid() ?? 0, 'SIGKILL')
      await first
      await expect.poll(() => engine.read.ping({ select: true }), { timeout: 10_000 }).toEqual({ success: true })
      await insert(`cut ${attempt}`, 50_000)
      expect(await counts()).toBe(`${(attempt + 1) * 50_000}\t${(attempt + 1) * 50_000}`)
    }
  })
})
