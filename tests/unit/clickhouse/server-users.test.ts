import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const users = readFileSync(`${root}clickhouse/server/users.xml`, 'utf8')

test('users.xml grants every system table that is read and not public', () => {
  // Source: ClickHouse, ContextAccess, tables that are always accessible.
  const alwaysReadable = ['databases', 'tables', 'columns']
  const filesIn = (folder: string) =>
    readdirSync(root + folder, { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`)
  const read = ['app', 'queries', 'clickhouse']
    .flatMap(filesIn)
    .filter((file) => /\.(ts|sql)$/.test(file))
    .flatMap((file) =>
      [...readFileSync(root + file, 'utf8').matchAll(/(?<![\w.])system\.([a-z_]+)/g)].map(([, table]) => table),
    )
  expect(read).toContain('columns')
  for (const table of new Set(read)) {
    if (alwaysReadable.includes(String(table))) continue
    expect(users).toContain(`GRANT SELECT ON system.${table}<`)
  }
})
