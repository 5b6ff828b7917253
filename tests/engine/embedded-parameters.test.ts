import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ask, startTestEngine, type TestEngine } from '../support/engine.ts'

let engine: TestEngine

beforeAll(async () => {
  engine = await startTestEngine()
  await engine.write.command({
    query:
      'CREATE TABLE events (tenant UInt64, at DateTime64(3), name String) ENGINE = MergeTree ORDER BY (tenant, at)',
  })
  await engine.write.insert({
    table: 'events',
    values: Array.from({ length: 40 }, (_, i) => ({ tenant: i % 4, at: 1_600_000_000_000 + i, name: `name ${i % 4}` })),
    format: 'JSONEachRow',
  })
})

afterAll(() => engine.end())

async function value(text: string, parameters: Record<string, unknown>): Promise<unknown> {
  const answer = await engine.read.query({ query: text, query_params: parameters, format: 'JSONCompact' })
  const { data } = await answer.json<unknown[]>()
  return data[0]?.[0]
}

/** JSON quotes 64-bit integers. */
const plain = (cell: unknown) => (typeof cell === 'string' && /^\d+$/.test(cell) ? Number(cell) : cell)

describe('a question mark', () => {
  it('is part of a value behind the first', async () => {
    const statement = encodeURIComponent('SELECT {u:String}, {after:UInt8}')
    const answer = await fetch(`${engine.url}/?query=${statement}&param_u=https://a.test/p?x=1&param_after=7`)
    expect(await answer.text()).toBe('https://a.test/p?x=1\t7\n')
  })
})

describe('settings', () => {
  it('last for one request', async () => {
    const query = "SELECT getSetting('max_threads') AS threads, getSetting('log_comment') AS comment"
    const before = await ask(engine, query)
    const set = await ask(engine, query, { search: { max_threads: '3', log_comment: 'mine' } })
    expect(set.text).toBe('3\tmine\n')
    await Promise.all(Array.from({ length: 20 }, async () => expect((await ask(engine, query)).text).toBe(before.text)))
  })

  it('last for one request among many at once, more than connections lie ready', async () => {
    const query =
      "SELECT currentRoles(), getSetting('max_result_rows'), getSetting('readonly'), getSetting('log_comment') FORMAT JSONCompact"
    const answers = Array.from({ length: 60 }, async (_, i) => {
      const own = { log_comment: `mine ${i}`, max_result_rows: `${100 + i}` }
      const answer = await ask(engine, query, i % 2 === 0 ? { search: own } : {})
      const expected = i % 2 === 0 ? [100 + i, 2, own.log_comment] : [1_000_000, 2, '']
      expect(JSON.parse(answer.text).data.flat().map(plain)).toEqual([['reader'], ...expected])
    })
    await Promise.all(answers)
  })

  it('take any text as their value', async () => {
    const log_comment = `{"a":"it's; \\ \n\t DROP TABLE events -- ü 😀"}`
    const answer = await engine.read.query({
      query: "SELECT getSetting('log_comment') AS value",
      format: 'JSONCompact',
      clickhouse_settings: { log_comment },
    })
    expect((await answer.json<string[]>()).data).toEqual([[log_comment]])
  })
})

describe('a database', () => {
  it('is named for one request', async () => {
    const named = async (search = {}) =>
      JSON.parse((await ask(engine, 'SELECT currentDatabase() FORMAT JSONCompact', { search })).text).data
    expect(await named({ database: 'system' })).toEqual([['system']])
    expect(await named()).toEqual([['default']])
  })
})

describe('bound parameters', () => {
  const anyText = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc
      .array(
        fc.constantFrom(
          "'",
          '"',
          '`',
          '\\',
          '\n',
          '\t',
          '\r',
          '\0',
          '\b',
          '\f',
          ';',
          '--',
          '/*',
          '*/',
          '{',
          '}',
          ':',
          'N',
          'x41',
          "'; DROP TABLE events; --",
          '😀',
        ),
        { maxLength: 12 },
      )
      .map((parts) => parts.join('')),
  )

  it('keep every string byte by byte', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, async (text) => {
        const query = 'SELECT hex({p:String}) AS h, {q:String} AS q'
        expect(await value(query, { p: text, q: 'beside' })).toBe(Buffer.from(text).toString('hex').toUpperCase())
      }),
      { numRuns: 60 },
    )
  })

  it('keep every array of strings', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyText, { maxLength: 6 }), async (texts) => {
        const hex = await value('SELECT arrayMap(x -> lower(hex(x)), {p:Array(String)})', { p: texts })
        expect(hex).toEqual(texts.map((text) => Buffer.from(text).toString('hex')))
      }),
      { numRuns: 60 },
    )
  })

  it('keep bytes that are not UTF-8', async () => {
    const response = await fetch(
      `${engine.url}/?param_p=%FF%00%27%5C%5C&query=${encodeURIComponent('SELECT hex({p:String})')}`,
    )
    expect(await response.text()).toBe('FF00275C\n')
  })

  it('keep milliseconds', async () => {
    const at = new Date(1_600_000_000_007)
    expect(await value('SELECT toUnixTimestamp64Milli({p:DateTime64(3)})::String', { p: at })).toBe('1600000000007')
    expect(await value('SELECT count() FROM events WHERE at = {p:DateTime64(3)}', { p: at })).toBe(1)
    expect(await value('SELECT max(at) FROM events', {})).toBe('2020-09-13 12:26:40.039')
  })

  it('keep numbers, nulls, identifiers, maps, tuples and UUIDs', async () => {
    expect(await value('SELECT {p:UInt64}::String', { p: 18_446_744_073_709_551_615n })).toBe('18446744073709551615')
    expect(await value('SELECT {p:Nullable(String)} IS NULL', { p: null })).toBe(1)
    expect(await value('SELECT {p:Nullable(String)}', { p: 'NULL' })).toBe('NULL')
    expect(await value('SELECT {p:Array(Nullable(String))}', { p: ['a', null] })).toEqual(['a', null])
    expect(await value('SELECT count() FROM {p:Identifier}', { p: 'events' })).toBe(40)
    expect(await value('SELECT {p:Map(String, String)}', { p: { "it's": 'a\\b' } })).toEqual({ "it's": 'a\\b' })
    expect(await value('SELECT {p:Bool}', { p: true })).toBe(true)
    const uuid = '61f0c404-5cb3-11e7-907b-a6006ad3dba0'
    expect(await value('SELECT {p:UUID}', { p: uuid })).toBe(uuid)
  })

  it('cannot name anything but a value', async () => {
    const query = 'SELECT {p:UInt64} + 0 AS v'
    await expect(engine.read.query({ query, query_params: { p: '1 OR 1' } })).rejects.toMatchObject({ code: '457' })
    await expect(engine.read.query({ query })).rejects.toMatchObject({ code: '456' })
    const answer = await ask(engine, 'SELECT 1', { search: { "param_p='', max_execution_time": '1' } })
    expect(answer.status).toBe(400)
  })

  it('are gone when the request is', async () => {
    const query = 'SELECT {mine:String} AS mine'
    expect((await ask(engine, query, { search: { param_mine: 'of a tenant' } })).text).toBe('of a tenant\n')
    for (const search of [{}, { param_other: 'x' }, { max_threads: '1' }]) {
      const answer = await ask(engine, query, { search })
      expect(answer.headers.get('x-clickhouse-exception-code')).toBe('456')
      expect(answer.text).not.toContain('of a tenant')
    }
    expect((await ask(engine, query, { search: { param_mine: 'of another' } })).text).toBe('of another\n')
  })
})
