import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { z } from 'zod'
import { connect, type Database } from '../../queries/clickhouse.ts'
import { sql, uint } from '../../queries/sql.ts'

let database: Database

beforeAll(() => {
  database = connect(inject('servers').readUrl)
})

afterAll(() => database.close())

const row = z.object({ number: z.int() })
const echo = (number: number, deadlineMilliseconds?: number) =>
  database.read({
    name: 'echo',
    statement: sql`SELECT ${uint(number)} AS number`,
    row,
    ...(deadlineMilliseconds !== undefined && { deadlineMilliseconds }),
  })

const many = Array.from({ length: 200 }, (_, index) => index)

test('more reads than connections all get their own answer', async () => {
  expect(await Promise.all(many.map((number) => echo(number)))).toEqual(many.map((number) => [{ number }]))
})

test('reads that are given up on, waiting or under way, break none after them', async () => {
  for (let round = 0; round < 3; round++) {
    const hasty = await Promise.allSettled(many.map((number) => echo(number, 1 + (number % 40))))
    expect(hasty.filter(({ status }) => status === 'rejected').length).toBeGreaterThan(0)
    const patient = await Promise.all(many.map((number) => echo(number)))
    expect(patient).toEqual(many.map((number) => [{ number }]))
  }
})
