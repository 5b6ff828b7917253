import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readerConstants, readerLimits } from '../../clickhouse/engine/access.ts'
import { ask, startTestEngine, type TestEngine } from '../support/engine.ts'

let engine: TestEngine

beforeAll(async () => {
  engine = await startTestEngine()
})

afterAll(() => engine.end())

async function code(text: string, search: Record<string, string> = {}): Promise<string | null> {
  return (await ask(engine, text, { search })).headers.get('x-clickhouse-exception-code')
}

it('what the writer ran is checked anew for the reader', async () => {
  for (const text of ['CREATE TABLE IF NOT EXISTS t (a Int8) ENGINE = Memory', "SELECT file('/etc/hostname')"]) {
    await ask(engine, text, { as: 'writer' })
    expect(await code(text)).toBe('497')
  }
})

describe('the reader may not set', () => {
  it.each([
    ...Object.entries(readerConstants),
    ...Object.entries(readerLimits).map(([name, value]) => [name, `${value}`] as const),
  ])('%s in a subquery, even as it is', async (name, value) => {
    expect(await code(`SELECT * FROM (SELECT 1 SETTINGS ${name} = '${value}')`)).toBe('452')
  })

  it.each([
    ['allow_introspection_functions', '1'],
    ['allow_experimental_eval_table_function', '1'],
    ['send_logs_level', 'trace'],
  ])('%s, in a text or beside it', async (name, value) => {
    expect(await code(`SELECT 1 SETTINGS ${name} = '${value}'`)).toBe('452')
    expect(await code(`SELECT * FROM (SELECT 1 SETTINGS ${name} = '${value}')`)).toBe('452')
    expect(await code('SELECT 1', { [name]: value })).toBe('452')
  })
})

it.each(['file', 'catboostEvaluate', 'aiClassify', 'aiGenerate', 'aiEmbed', 'aiExtract', 'aiTranslate'])(
  'the reader may not call %s, however it is written',
  async (name) => {
    for (const written of [name, name.toLowerCase(), name.toUpperCase()]) {
      expect(await code(`SELECT ${written}('/x', 1)`)).toBe('497')
    }
  },
)

it('a reader’s text longer than the engine takes is refused before it is taken apart', async () => {
  const longest = 262_144
  const text = (length: number) => `SELECT 1 --${' '.repeat(length - 11)}`
  // The query's id is written before the text.
  expect(await code(text(longest - 1000))).toBe(null)
  expect(await code(text(longest + 1))).toBe('229')
  const numbers = `SELECT length([${'1,'.repeat(2_000_000)}1])`
  expect((await ask(engine, numbers)).status).toBe(413)
})
