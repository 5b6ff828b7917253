import { alertDeliveries } from '../../app/import/records/types/alert-deliveries.ts'
import { alertRules } from '../../app/import/records/types/alert-rules.ts'
import { monitoredPages } from '../../app/import/records/types/monitored-pages.ts'
import { scans } from '../../app/import/records/types/scans.ts'
import { scriptDecisions } from '../../app/import/records/types/script-decisions.ts'
import type { DecisionRecord } from '../../fixtures/random-scripts.ts'
import type { ScanRecord } from '../../fixtures/scans.ts'
import { entitlements, type Plan, type PlanOverrides } from '../../schema/plans.ts'
import type { AlertDelivery } from '../../schema/responses/alert-delivery.ts'
import type { PageRecord } from '../../schema/responses/monitored-page.ts'
import type { StoredReport } from '../../schema/stored-report.ts'
import type { PciWorld, RuleRecord } from '../oracles/pci-evidence-oracle.ts'
import type { TenantWriter, TestKey } from './tenants.ts'

/** All that is stored of a tenant. */
export interface PciRecords {
  readonly pages: readonly PageRecord[]
  readonly reports: readonly StoredReport[]
  readonly scans: readonly ScanRecord[]
  readonly decisions: readonly DecisionRecord[]
  readonly rules: readonly RuleRecord[]
  readonly deliveries: readonly AlertDelivery[]
}

/** The records of several sites as one. */
export const joinRecords = (all: readonly PciRecords[]): PciRecords => ({
  pages: all.flatMap(({ pages }) => pages),
  reports: all.flatMap(({ reports }) => reports),
  scans: all.flatMap(({ scans }) => scans),
  decisions: all.flatMap(({ decisions }) => decisions),
  rules: all.flatMap(({ rules }) => rules),
  deliveries: all.flatMap(({ deliveries }) => deliveries),
})

/** Who is judged, and on what. */
export interface PciTenant {
  readonly plan: Plan
  readonly overrides?: PlanOverrides
  readonly siteNames: readonly string[]
  readonly make: (tenantId: string, siteIds: readonly string[]) => PciRecords
}

/** A site, and a key that reads it. */
export interface PciSite {
  readonly world: PciWorld
  readonly key: TestKey
}

/** Makes tenants and stores what is said of their sites; gives each one's sites, in the order of their names. */
export async function createPciTenants(api: TenantWriter, tenants: readonly PciTenant[]): Promise<PciSite[][]> {
  const created = await Promise.all(tenants.map((tenant) => createTenant(api, tenant)))
  // Several inserts, so that rollups have several parts; few, because each goes through every rollup.
  const reports = created.flatMap(({ records }) => records.reports)
  for (const half of [0, 1]) await api.insertReports(reports.filter((_, index) => index % 2 === half))
  return Promise.all(created.map(async (one) => storeTenant(api, one)))
}

const plenty = { keyLimit: 1_000_000, tenantLimit: 1_000_000 }

async function createTenant(api: TenantWriter, tenant: PciTenant) {
  const { plan, overrides, siteNames, make } = tenant
  const tenantId = await api.createTenant({ plan, overrides: { ...plenty, ...overrides } })
  const siteIds = await Promise.all(siteNames.map((name) => api.createSite(tenantId, { name })))
  return { tenant, tenantId, siteIds, key: await api.createKey(tenantId), records: make(tenantId, siteIds) }
}

async function storeTenant(
  api: TenantWriter,
  { tenant, tenantId, siteIds, key, records }: Awaited<ReturnType<typeof createTenant>>,
): Promise<PciSite[]> {
  const { plan, overrides = {}, siteNames } = tenant
  const { capabilities, retentionDays } = entitlements(plan, overrides)
  const imports = [
    [monitoredPages, records.pages],
    [scans, records.scans],
    [scriptDecisions, records.decisions],
    [alertRules, records.rules],
    [alertDeliveries, records.deliveries],
  ] as const
  for (const [type, some] of imports) if (some.length > 0) await api.importRecords(tenantId, type, some)
  return siteIds.map((siteId, index) => {
    const own = <Row extends { readonly siteId: string | null }>(rows: readonly Row[]) =>
      rows.filter((row) => row.siteId === siteId)
    const pages = own(records.pages)
    const world: PciWorld = {
      siteId,
      siteName: siteNames[index] ?? '',
      plan,
      capabilities,
      retentionDays,
      pages,
      hasDecided: records.decisions.length > 0,
      reports: own(records.reports),
      scans: records.scans.filter(({ pageId }) => pages.some(({ id }) => id === pageId)),
      decisions: own(records.decisions),
      rules: records.rules,
      deliveries: records.deliveries,
    }
    return { world, key }
  })
}
