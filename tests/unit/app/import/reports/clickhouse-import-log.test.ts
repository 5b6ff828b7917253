import { expect, test } from 'vitest'
import { type Boots, clickHouseImportLog } from '../../../../../app/import/reports/clickhouse-import-log.ts'
import type { Database } from '../../../../../queries/clickhouse/database.ts'

const inserted: string[] = []
const database = {
  read: async () => [],
  insert: async (_: string, rows: Buffer) => void inserted.push(JSON.parse(rows.toString()).state),
} as unknown as Database

const batch = {
  previousToken: '',
  token: 'a',
  lines: 1,
  hosts: [],
  importedAt: 0,
  storedFrom: 0,
  retentionDays: 1,
  state: 'open' as const,
}
const stored = { reports: 1, stored: 1, parts: [] }

test('no batch is done whose machine restarted since the import began, and nothing more is sent', async () => {
  let boot: string | undefined = 'one'
  const boots: Boots = { read: async () => boot, isSame: Object.is }
  const log = clickHouseImportLog(database, 'tenant', { boots })
  await log.start(batch)
  boot = undefined
  await log.checkBoot()
  boot = 'two'
  await expect(log.checkBoot()).rejects.toThrow('restarted during the import: run the same command again')
  await expect(log.finish(batch, stored)).rejects.toThrow('restarted during the import')
  expect(inserted).toEqual(['started'])
})
