import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { readMigrations } from '../../../clickhouse/migration-files.ts'

test('migrations that have landed are as they were: somebody’s data was made by them', async () => {
  const list = await readFile(new URL('../../../clickhouse/migrations.sha256', import.meta.url), 'utf8')
  const frozen = list.trimEnd().split('\n')
  const found = (await readMigrations()).map(({ checksum, name }) => `${checksum}  ${name}.sql`)
  expect(found.slice(0, frozen.length)).toEqual(frozen)
  // A new one is frozen with the commit that adds it: (cd clickhouse/migrations && sha256sum *.sql > ../migrations.sha256)
  expect(found).toHaveLength(frozen.length)
})
