import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { splitStatements } from '../../clickhouse/split-statements.ts'

test('Statements end with a semicolon at the end of a line', () => {
  const text = "-- One; two.\nSELECT 'a;b';\n\n-- Three;\nSELECT 1,\n    2 -- four; five\n;\n"
  expect(splitStatements(text)).toEqual(["SELECT 'a;b'", 'SELECT 1,\n    2 -- four; five'])
  expect(splitStatements('')).toEqual([])
})

const folder = new URL('../../clickhouse/migrations/', import.meta.url)

test.each(readdirSync(folder))('The literals of %s have no semicolon at the end of a line', (file) => {
  for (const statement of splitStatements(readFileSync(new URL(file, folder), 'utf8'))) {
    const quotes = statement.replace(/--.*$/gm, '').match(/'/g) ?? []
    expect(quotes.length % 2, statement).toBe(0)
  }
})
