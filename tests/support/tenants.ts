import { randomUUID } from 'node:crypto'
import { hashKey, keyPrefix, makeKey } from '../../app/api-keys/key-format.ts'
import { makeSiteToken } from '../../app/collector/site-address.ts'
import { importObjects } from '../../app/import/records/import-objects.ts'
import type { RecordType } from '../../app/import/records/record-type.ts'
import { clickHouseImportLog } from '../../app/import/reports/clickhouse-import-log.ts'
import type { Database } from '../../queries/clickhouse/database.ts'
import { insertRows } from '../../queries/clickhouse/insert-rows.ts'
import { toClickHouseTime } from '../../queries/sql/sql.ts'
import { dayMs } from '../../schema/durations.ts'
import type { Plan, PlanOverrides } from '../../schema/plans.ts'
import { type StoredReport, storedFieldNames, storedFieldRows } from '../../schema/stored-report.ts'

/** A key as a caller holds it. */
export interface TestKey {
  readonly id: string
  readonly key: string
}

/** Writes tenants and what is theirs straight into the tables. */
export interface TenantWriter {
  /** A tenant's id. A business tenant with room for every test's requests, unless told otherwise. */
  createTenant(options?: {
    readonly plan?: Plan
    readonly name?: string
    readonly overrides?: PlanOverrides
  }): Promise<string>
  /** A site's id. */
  createSite(
    tenantId: string,
    options?: {
      readonly name?: string
      readonly hosts?: readonly string[]
      readonly token?: string
      readonly sampleRates?: Readonly<Record<string, number>>
      /** So many that all are stored by default. */
      readonly reportsPerMinute?: number
      /** Now by default. */
      readonly createdAt?: number
    },
  ): Promise<string>
  /** Ids of as many sites, in one insert. */
  createSites(tenantId: string, count: number): Promise<string[]>
  /** A key that is good for a day, unless told otherwise. */
  createKey(
    tenantId: string,
    options?: {
      readonly expiresAt?: Date
      readonly revokedAt?: Date
      readonly siteId?: string
      readonly origins?: readonly string[]
    },
  ): Promise<TestKey>
  revokeKey(tenantId: string, key: TestKey): Promise<void>
  /** With what an import notes of itself before and after. */
  insertReports(reports: readonly StoredReport[]): Promise<void>
  /** Imports records as a file of them would be, none of them rejected; for no tenant where they are of everyone. */
  importRecords(tenantId: string | undefined, type: RecordType, records: readonly object[]): Promise<void>
  /** The id of a page a site monitors: a new one, or the given one with another pattern. */
  insertMonitoredPage(tenantId: string, siteId: string, pattern: string, id?: string): Promise<string>
}

/** Every report of a test's site is stored. */
const plentyOfReports = 1_000_000_000

/** Budgets with room for every test's requests. */
export const plenty = { keyLimit: 100_000, tenantLimit: 100_000 }

const timeText = (time: number) => toClickHouseTime(new Date(time))

/** @param database as the user that writes. */
export function createTenantWriter(database: Database): TenantWriter {
  const insert = (table: string, rows: readonly object[]) => insertRows(database, table, rows)

  async function writeKey(
    tenantId: string,
    { id, key }: TestKey,
    expiresAt: Date,
    revokedAt: Date | undefined,
    scope: { readonly site_id?: string | undefined; readonly origins?: readonly string[] | undefined } = {},
  ): Promise<TestKey> {
    const row = { key_hash: hashKey(key), id, tenant_id: tenantId, name: 'Test key', prefix: keyPrefix(key) }
    const times = { created_at: timeText(Date.now()), expires_at: timeText(expiresAt.getTime()) }
    await insert('api_keys', [
      { ...row, ...scope, ...times, revoked_at: revokedAt ? timeText(revokedAt.getTime()) : null },
    ])
    return { id, key }
  }

  const tomorrow = () => new Date(Date.now() + dayMs)

  return {
    async createTenant({ plan = 'business', name = 'Test tenant', overrides = plenty } = {}) {
      const id = randomUUID()
      await insert('tenants', [
        { id, name, plan, overrides: JSON.stringify(overrides), created_at: timeText(Date.now()) },
      ])
      return id
    },
    async createSite(
      tenantId,
      {
        name = 'Test site',
        hosts = [],
        token = makeSiteToken(),
        sampleRates = {},
        createdAt = Date.now(),
        ...given
      } = {},
    ) {
      const id = randomUUID()
      const { reportsPerMinute = plentyOfReports } = given
      const site = { id, tenant_id: tenantId, name, hosts, token, sample_rates: sampleRates }
      const limits = { max_reports_per_minute: reportsPerMinute }
      await insert('sites', [{ ...site, ...limits, created_at: timeText(createdAt) }])
      return id
    },
    async createSites(tenantId, count) {
      const ids = Array.from({ length: count }, () => randomUUID())
      const site = { tenant_id: tenantId, name: 'Test site', created_at: timeText(Date.now()) }
      await insert(
        'sites',
        ids.map((id) => ({ ...site, id, token: makeSiteToken() })),
      )
      return ids
    },
    async createKey(tenantId, { expiresAt = tomorrow(), revokedAt, siteId, origins } = {}) {
      const scope = { site_id: siteId, origins }
      return writeKey(tenantId, { id: randomUUID(), key: makeKey() }, expiresAt, revokedAt, scope)
    },
    async revokeKey(tenantId, key) {
      await writeKey(tenantId, key, tomorrow(), new Date())
    },
    async insertReports(reports) {
      const passes = [...new Set(reports.map(({ tenantId }) => tenantId))].map((tenantId) => ({
        importLog: clickHouseImportLog(database, tenantId),
        pass: {
          previousToken: randomUUID(),
          token: randomUUID(),
          hosts: [],
          lines: 0,
          importedAt: Date.now(),
          storedFrom: 0,
          retentionDays: 1,
          state: 'open' as const,
        },
      }))
      await Promise.all(passes.map(({ importLog, pass }) => importLog.start(pass)))
      await insert('reports', reports.map(toRow))
      await Promise.all(
        passes.map(({ importLog, pass }) => importLog.finish(pass, { reports: 0, stored: 0, parts: [] })),
      )
    },
    importRecords: (tenantId, type, records) => importObjects({ type, database, tenantId }, records),
    async insertMonitoredPage(tenantId, siteId, pattern, id = randomUUID()) {
      const named = { kind: 'other', label: 'Test page', scan_url: '', position: 0 }
      await insert('monitored_pages', [{ tenant_id: tenantId, site_id: siteId, id, pattern, ...named }])
      return id
    },
  }
}

function toRow(report: StoredReport): object {
  return Object.fromEntries(
    storedFieldNames.map((field) => {
      const value = report[field]
      const { column, kind } = storedFieldRows[field]
      return [column, kind === 'time' && typeof value === 'number' ? timeText(value) : value]
    }),
  )
}
