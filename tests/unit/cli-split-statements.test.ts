import { describe, expect, test } from 'vitest'
import { splitStatements } from '../../clickhouse/split-statements.ts'

describe('a SQL text', () => {
  test('parts at semicolons, without white space and comments around the statements', () => {
    expect(splitStatements('-- first\nSELECT 1;\n\n/* second */ SELECT 2 ;\n-- end\n')).toEqual([
      'SELECT 1',
      'SELECT 2',
    ])
  })

  test('does not part inside strings, names, comments and heredocs', () => {
    const statements = [
      "SELECT 'a;b', 'it''s; so', 'back\\'slash;'",
      'SELECT `a;b`, "c;d"',
      'SELECT 1 -- one; two\n, 2',
      'SELECT 1 /* one; two */ , 2',
      'SELECT $tag$ a; b $tag$, $$ c; d $$',
    ]
    expect(splitStatements(`${statements.join(';\n')};`)).toEqual(statements)
  })

  test('may hold a literal of millions of characters', () => {
    const statements = [`SELECT '${'a;'.repeat(5_000_000)}'`, `SELECT 1 AS \`${'a;'.repeat(5_000_000)}\``]
    expect(splitStatements(`${statements.join(';\n')};`)).toEqual(statements)
  })

  test('holds no empty statements', () => {
    expect(splitStatements(' ; ;; -- nothing\n ;')).toEqual([])
    expect(splitStatements('')).toEqual([])
  })

  test('may leave out the last semicolon', () => {
    expect(splitStatements('SELECT 1; SELECT 2')).toEqual(['SELECT 1', 'SELECT 2'])
  })
})
