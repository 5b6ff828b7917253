import { afterAll, expect, inject, test } from 'vitest'
import { z } from 'zod'
import { sql, text, texts } from '../../queries/sql/sql.ts'
import { connectPatiently } from '../support/patience.ts'

const database = connectPatiently(inject('servers').readUrl)
afterAll(() => database.close())

const hostile = [
  ...[
    '',
    "'",
    "\\'",
    '\\',
    '\\\\n',
    '\\N',
    '\t\n\r\0\b\f\v',
    "') OR 1=1 --",
    '{p1:String}',
    '%27',
    '&param_p1=x',
    '+ #?',
  ],
  ...["[']", "','", '\u2028', '\u{1F600}', 'null', 'é'],
]

test.each(hostile)('the value %j reaches ClickHouse unchanged, alone and in a list', async (value) => {
  const [row] = await database.read({
    name: 'echoValues',
    statement: sql`SELECT ${text(value)} AS alone, ${texts([value, value])} AS list, length(alone) AS bytes`,
    row: z.object({ alone: z.string(), list: z.array(z.string()), bytes: z.int() }),
  })
  expect(row).toEqual({ alone: value, list: [value, value], bytes: Buffer.byteLength(value) })
})

test('half a surrogate pair reaches ClickHouse as the replacement character', async () => {
  const statement = sql`SELECT ${text('a\ud800b')} AS alone`
  const [row] = await database.read({ name: 'echoValue', statement, row: z.object({ alone: z.string() }) })
  expect(row).toEqual({ alone: 'a\ufffdb' })
})
