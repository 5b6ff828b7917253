import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { migrate } from '../../../clickhouse/migrate.ts'
import { aReport } from '../../../fixtures/reports.ts'
import { queryRows } from '../../support/database.ts'
import { startTestEngine } from '../../support/engine.ts'
import { connectPatiently } from '../../support/patience.ts'
import { createTenantWriter } from '../../support/tenants.ts'

const cleanups: (() => Promise<void>)[] = []

afterAll(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup()
})

async function startEngine() {
  const engine = await startTestEngine()
  const [writer, reader] = [connectPatiently(engine.userUrls.writer), connectPatiently(engine.userUrls.reader)]
  cleanups.push(engine.end, writer.close, reader.close)
  return { ...engine, writer, reader, backups: join(engine.dataDir, 'clickhouse', 'backups') }
}

test('the writer backs up, the next time what is new, and restores it all into an empty server', async () => {
  const [old, fresh] = [await startEngine(), await startEngine()]
  await migrate(old.writer)
  const tenants = createTenantWriter(old.writer)
  const tenantId = await tenants.createTenant()
  const reports = (count: number) =>
    Array.from({ length: count }, (_, index) => aReport({ tenantId, receivedAt: Date.now() - index * 1_000 }))
  await tenants.insertReports(reports(1_000))
  await queryRows(old.writer, "BACKUP DATABASE default TO File('sunday')")
  await tenants.insertReports(reports(10))
  await queryRows(old.writer, "BACKUP DATABASE default TO File('monday') SETTINGS base_backup = File('sunday')")
  await expect(old.writer.command("BACKUP DATABASE default TO File('/tmp/elsewhere')")).rejects.toThrow(/not allowed/)
  // The reader may not: 497 is ACCESS_DENIED.
  await expect(old.reader.command("BACKUP DATABASE default TO File('mine')")).rejects.toMatchObject({ code: '497' })

  cpSync(old.backups, fresh.backups, { recursive: true })
  const settings = 'SETTINGS allow_different_database_def = true'
  await queryRows(fresh.writer, `RESTORE DATABASE default FROM File('monday') ${settings}`)
  const counts = ({ writer }: typeof old) =>
    queryRows(
      writer,
      "SELECT count(), (SELECT sum(report_count) FROM reports_by_time WHERE grain = 'hour') FROM reports",
    )
  expect(await counts(fresh)).toEqual([[1_010, 1_010]])
  expect(await migrate(fresh.writer)).toEqual([])
  await createTenantWriter(fresh.writer).insertReports(reports(5))
  expect(await counts(fresh)).toEqual([[1_015, 1_015]])
})
