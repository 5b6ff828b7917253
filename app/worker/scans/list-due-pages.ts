import type { Database } from '../../../queries/clickhouse/database.ts'
import { listPagesToScan, type PageWithHistory } from '../../../queries/pages/monitored-pages.ts'
import { listTenants } from '../../../queries/tenants/tenants.ts'
import { type Capability, entitlements } from '../../../schema/plans.ts'
import { scanDueAt } from '../../../schema/rules/scans/scan-due-at.ts'
import { uuidV5 } from '../../../schema/rules/uuid-v5.ts'
import type { PageToScan } from './scan-page.ts'

export interface DuePage extends PageToScan {
  readonly tenantId: string
  readonly siteId: string
  readonly dueAt: number
  /** A repeated scan of the same due time has the same id. */
  readonly scanId: string
}

/** Milliseconds between two scans of a page; undefined if it is not scanned. */
export type IntervalOf = (page: PageWithHistory) => number | undefined

export function toPageToScan({ id, scanUrl, kind }: PageWithHistory, capabilities: readonly Capability[]): PageToScan {
  return { id, scanUrl, listsScripts: kind === 'payment' && capabilities.includes('scripts.authorization') }
}

/** The longest due first. Pages of plans without scans are never due. */
export async function listDuePages({ read }: Pick<Database, 'read'>, intervalOf: IntervalOf): Promise<DuePage[]> {
  const now = Date.now()
  const [pages, tenants] = await Promise.all([read(listPagesToScan()), read(listTenants)])
  const capabilitiesOf = new Map(tenants.map((one) => [one.id, entitlements(one.plan, one.overrides).capabilities]))
  const due = pages.flatMap((page): DuePage[] => {
    const { tenantId, siteId, id } = page
    const capabilities = capabilitiesOf.get(tenantId) ?? []
    const intervalMs = capabilities.includes('pages.scans') ? intervalOf(page) : undefined
    const dueAt = intervalMs === undefined ? Number.POSITIVE_INFINITY : scanDueAt(page, intervalMs)
    if (dueAt > now) return []
    const scanId = uuidV5(id, new Date(dueAt).toISOString())
    return [{ ...toPageToScan(page, capabilities), tenantId, siteId, dueAt, scanId }]
  })
  return due.sort((a, b) => a.dueAt - b.dueAt)
}
