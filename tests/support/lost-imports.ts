import type { Installation } from '../../app/cli/doctor/check.ts'
import { imports } from '../../app/cli/doctor/check-imports.ts'
import type { Database } from '../../queries/clickhouse/database.ts'
import { insertRows } from '../../queries/clickhouse/insert-rows.ts'
import type { SmallImport } from './import-file.ts'
import { newImport, siteId } from './posts-file.ts'

/** An import of a new tenant whose site is stored, as doctor passes over sites that are not. */
export async function importWithSite(
  database: Database,
  writeUrl: string,
  name: string,
  lines: string,
): Promise<SmallImport> {
  const given = newImport(writeUrl, name, lines)
  const site = { id: siteId, tenant_id: given.tenantId, name: 'Shop', hosts: ['shop.test'] }
  await insertRows(database, 'sites', [site])
  return given
}

/** What doctor finds, or its fault. */
export function checkImports(database: Database): Promise<string> {
  const access = { reader: database, shards: () => [database] }
  const installation = { database: async () => access } as unknown as Installation
  return imports.run(installation).catch((error: Error) => error.message)
}
