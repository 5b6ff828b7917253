import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, inject } from 'vitest'
import { checkRollups } from '../../clickhouse/rollups/check-rollups.ts'
import { cli } from './cli.ts'
import { queryRows } from './database.ts'
import { connectPatiently } from './patience.ts'
import { createTenantWriter } from './tenants.ts'

/** Imports of reports by the command line, of files in a folder of the test file. */
export function openCliImports() {
  const database = connectPatiently(inject('servers').writeUrl)
  const tenants = createTenantWriter(database)
  const folder = mkdtempSync(join(tmpdir(), 'cli-import-'))
  afterAll(async () => {
    await database.close()
    rmSync(folder, { recursive: true })
  })
  const environment = { CLICKHOUSE_URL: inject('servers').writeUrl }
  return {
    database,
    folder,
    tenants,
    environment,
    importReports: (words: readonly string[], stdin?: string) =>
      cli(['import', 'reports', ...words], { environment, ...(stdin !== undefined && { stdin }) }),
    async tenantWithSite(...hosts: string[]) {
      const tenantId = await tenants.createTenant()
      return { tenantId, siteId: await tenants.createSite(tenantId, { hosts }) }
    },
    countOf: async (tenantId: string) =>
      Number((await queryRows(database, `SELECT count() FROM reports WHERE tenant_id = '${tenantId}'`))[0]?.[0]),
    rollupsOf: (tenantId: string) => checkRollups(database, { tenantId }),
    write(name: string, lines: readonly string[]): string {
      const path = join(folder, name)
      writeFileSync(path, lines.map((line) => `${line}\n`).join(''))
      return path
    },
  }
}

export const post = (url: string, sample = '') =>
  JSON.stringify([
    {
      age: 1,
      type: 'csp-violation',
      url,
      body: { documentURL: url, blockedURL: 'inline', effectiveDirective: 'script-src', sample },
    },
  ])
