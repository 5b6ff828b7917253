import { hash } from 'node:crypto'
import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'
import { type RowPolicy, rowPolicies, tenantRole } from '../../clickhouse/sql-users.ts'
import { sendRequest, startTestEngine, type TestEngine } from './engine.ts'

export const sqlUserPassword = 'of-a-sql-user'

export interface SqlUserEngine extends TestEngine {
  /** Sends a statement as the user. */
  send(statement: string, search?: Readonly<Record<string, string>>): ReturnType<typeof sendRequest>
}

/**
 * A migrated engine with a SQL user. The engine cannot store users and policies, so its users.xml has them: the policies of
 * `rowPolicies`, for the user.
 */
export async function startSqlUserEngine(user: string): Promise<SqlUserEngine> {
  const settings = mkdtempSync(join(tmpdir(), 'sql-user-'))
  const dataDir = mkdtempSync(join(tmpdir(), 'engine-test-'))
  cpSync(inject('migratedFolder'), dataDir, { recursive: true })
  cpSync('clickhouse/server', settings, { recursive: true })
  writeFileSync(join(settings, 'users.d', 'sql-user.xml'), sqlUserXml(user, rowPolicies))
  const config = readFileSync('clickhouse/engine/config.xml', 'utf8').replace('../server', settings)
  writeFileSync(join(settings, 'config.xml'), config)
  const engine = await startTestEngine({ dataDir, configFile: join(settings, 'config.xml') })
  const headers = { Authorization: `Basic ${btoa(`${user}:${sqlUserPassword}`)}` }
  return {
    ...engine,
    send: (body, search = {}) =>
      sendRequest(`${engine.url}/?${new URLSearchParams(search)}`, { method: 'POST', body, headers }),
  }
}

/** @param policies of the user. */
export function sqlUserXml(user: string, policies: readonly RowPolicy[]): string {
  const filtersOf = (database: string) =>
    policies
      .filter((policy) => policy.database === database)
      .map(({ table, filter }) => `<${table}><filter>${filter}</filter></${table}>`)
      .join('')
  const databases = [...new Set(policies.map(({ database }) => database))]
  const filters = databases.map((database) => `<${database}>${filtersOf(database)}</${database}>`)
  return `<clickhouse><users><${user}>
    <password_sha256_hex>${hash('sha256', sqlUserPassword)}</password_sha256_hex>
    <profile>${tenantRole}</profile>
    <quota>default</quota>
    <networks><ip>::/0</ip></networks>
    <grants><query>GRANT ${tenantRole}</query></grants>
    <databases>${filters.join('')}</databases>
  </${user}></users></clickhouse>`
}
