import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { readMigrations } from '../../../clickhouse/migration-files.ts'

const folder = new URL('../../../clickhouse/migrations/', import.meta.url)
const files = await readdir(folder)
const migrations = await readMigrations()

/** A literal, a comment or a semicolon, whichever begins first. */
const token = /'(?:[^'\\]|\\.|'')*'|--.*|;/g

describe.each(files)('%s', (file) => {
  const index = files.toSorted().indexOf(file)

  test('the file has semicolons only at the ends of statements and lines', async () => {
    const text = await readFile(new URL(file, folder), 'utf8')
    const tokens = text.match(token) ?? []
    expect(tokens.filter((one) => one !== ';' && /;$/m.test(one))).toEqual([])
    expect(text.replaceAll(token, (one) => (one === ';' ? one : ''))).not.toMatch(/;[^\n]/)
    expect(migrations[index]?.statements).toHaveLength(tokens.filter((one) => one === ';').length)
  })

  test('the file has comments on lines of their own, outside statements', async () => {
    const text = await readFile(new URL(file, folder), 'utf8')
    expect((text.match(token) ?? []).filter((one) => one.startsWith('--'))).toEqual(text.match(/^--.*/gm) ?? [])
    for (const statement of migrations[index]?.statements ?? []) {
      expect(statement).toMatch(
        /^(CREATE (TABLE|(MATERIALIZED )?VIEW) IF NOT EXISTS|CREATE OR REPLACE VIEW|ALTER TABLE \w+\s+(ADD (COLUMN|INDEX) IF NOT EXISTS|MODIFY (COLUMN|SETTING)|MATERIALIZE INDEX|UPDATE \w+ = \w+ WHERE true SETTINGS mutations_sync = 2$)|ALTER TABLE \w+_mv MODIFY QUERY|INSERT INTO \w+_history)(\s|$)/,
      )
    }
  })

  test('the file has no line over 120 characters', async () => {
    const lines = (await readFile(new URL(file, folder), 'utf8')).split('\n')
    expect(lines.filter((line) => line.length > 120)).toEqual([])
    expect(lines.length).toBeLessThanOrEqual(201)
  })
})

test('a statement ends with a semicolon at a line’s end, the last with or without', async () => {
  const own = mkdtempSync(join(tmpdir(), 'migration-files-'))
  writeFileSync(join(own, '0001_a.sql'), "-- first; of three\nSELECT 1;\n\nSELECT ';', 2\n;\n-- end;\nSELECT 3")
  try {
    const [migration] = await readMigrations(pathToFileURL(`${own}/`))
    expect(migration?.statements).toEqual(['SELECT 1', "SELECT ';', 2", 'SELECT 3'])
  } finally {
    rmSync(own, { recursive: true })
  }
})
