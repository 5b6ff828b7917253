import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, inject } from 'vitest'
import { checkRollups } from '../../clickhouse/rollups/check-rollups.ts'
import { connect, type Database } from '../../queries/clickhouse/client.ts'
import { cli } from './cli.ts'
import { queryRows } from './database.ts'
import { createTenantWriter, type TenantWriter } from './tenants.ts'

/** Imports of reports by the command line, of files in a folder of the test file. */

let database: Database
export let tenants: TenantWriter

export const folder = mkdtempSync(join(tmpdir(), 'cli-import-'))

beforeAll(() => {
  database = connect(inject('servers').writeUrl)
  tenants = createTenantWriter(database)
})

afterAll(async () => {
  await database?.close()
  rmSync(folder, { recursive: true })
})

export const environment = () => ({ CLICKHOUSE_URL: inject('servers').writeUrl })

export const importReports = (words: readonly string[], stdin?: string) =>
  cli(['import', 'reports', ...words], { environment: environment(), ...(stdin !== undefined && { stdin }) })

export async function tenantWithSite(...hosts: string[]) {
  const tenantId = await tenants.createTenant()
  return { tenantId, siteId: await tenants.createSite(tenantId, { hosts }) }
}

export const countOf = async (tenantId: string) =>
  Number((await queryRows(database, `SELECT count() FROM reports WHERE tenant_id = '${tenantId}'`))[0]?.[0])

export const rollupsOf = (tenantId: string) => checkRollups(database, { tenantId })

export function write(name: string, lines: readonly string[]): string {
  const path = join(folder, name)
  writeFileSync(path, lines.map((line) => `${line}\n`).join(''))
  return path
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
