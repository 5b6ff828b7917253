import { describe, expect, test } from 'vitest'
import { listPageSites } from '../../queries/pages/monitored-pages.ts'
import { listScanFindings } from '../../queries/scans/scan-evidence.ts'
import { listPaymentActivity, listScriptActivity } from '../../queries/scripts/activity.ts'
import {
  countCaptureFetches,
  listCaptureAttempts,
  listCapturedHashes,
  listScriptCaptures,
  listUncapturedVersions,
} from '../../queries/scripts/captures.ts'
import { listScriptDecisions } from '../../queries/scripts/decisions.ts'
import type { InventoryFilter } from '../../queries/scripts/script-inventory.ts'
import {
  findScriptUrl,
  listScriptHashes,
  listScriptHosts,
  listScriptIdentities,
  listScripts,
} from '../../queries/scripts/scripts.ts'
import { countUninventoriedScripts, listScriptViolations } from '../../queries/scripts/violations.ts'
import type { Query } from '../../queries/sql/query.ts'
import { dayMs } from '../../schema/durations.ts'
import { sqlText } from '../support/sql-text.ts'
import { tablesRead } from '../support/tenant-scope.ts'

const tenantId = '11111111-1111-4111-8111-111111111111'
const siteId = '22222222-2222-4222-8222-222222222222'

const every: InventoryFilter = {
  tenantId,
  siteId,
  window: { from: dayMs - 5, to: 3 * dayMs + 7 },
  seenSince: 0,
  hasPaymentPages: true,
  url: undefined,
}
const one = { ...every, url: 'https://cdn.example.test/a.js' }

/** Every query about scripts, of a whole inventory and of one script, of one that is cut off too. */
const queries: Query<unknown>[] = [every, one, { ...every, hasPaymentPages: false }].flatMap((filter) => [
  listScripts(filter),
  findScriptUrl(filter, siteId),
  listScriptDecisions(filter),
  listScriptCaptures(filter),
  listScriptIdentities(filter),
  ...[true, false].flatMap((truncated): Query<unknown>[] => [
    listScriptActivity(filter, truncated),
    listScriptHashes(filter, truncated),
    listScriptViolations(filter, [one.url], truncated),
    countUninventoriedScripts(filter, [one.url], truncated),
    ...(filter.hasPaymentPages ? [listPaymentActivity(filter, truncated)] : []),
  ]),
  ...(filter.hasPaymentPages ? [listScanFindings(filter)] : []),
  countCaptureFetches(tenantId, siteId, new Date(0)),
  listCaptureAttempts(tenantId, siteId, [one.url]),
  listCapturedHashes(['sha256-example.test'], tenantId),
  listScriptHosts(tenantId, siteId),
])

describe('script queries', () => {
  test('every SELECT of a script query is scoped to the tenant, in a truncated inventory too', () => {
    for (const query of [...queries, listPageSites(every.tenantId)]) {
      const tables = tablesRead(sqlText(query))
      expect(tables.length, query.name).toBeGreaterThan(0)
      for (const { table, isScoped } of tables) expect(isScoped, `${query.name}, ${table}`).toBe(true)
    }
  })

  test('versions without a copy are of the tenants that it is called with, in each of its tables', () => {
    const text = sqlText(listUncapturedVersions([tenantId], new Date(0)))
    const scoped = text.matchAll(/FROM (\w+)( FINAL)? WHERE tenant_id IN \{p\d+:Array\(UUID\)\}/g)
    expect([...scoped].map(([, table]) => table)).toEqual(tablesRead(text).map(({ table }) => table))
  })

  test('script queries bind every value', () => {
    for (const query of queries) {
      for (const value of [tenantId, siteId, 'example.test', '1970']) expect(sqlText(query)).not.toContain(value)
    }
  })

  test('script activity reads the rollup for whole days and raw rows at the edges', () => {
    const tables = (query: Query<unknown>) =>
      [...sqlText(query).matchAll(/FROM (reports_per_day_by_script|reports) /g)].map(([, table]) => table)
    expect(tables(listScriptActivity(every, false))).toEqual(['reports_per_day_by_script', 'reports'])
    expect(tables(listScriptActivity({ ...every, window: { from: dayMs, to: 3 * dayMs } }, false))).toEqual([
      'reports_per_day_by_script',
    ])
    expect(tables(listScriptActivity({ ...every, window: { from: 5, to: 7 } }, false))).toEqual(['reports'])
  })

  test('script queries read scans only for sites with payment pages', () => {
    expect(sqlText(listScripts(every))).toContain('FROM page_scans')
    expect(sqlText(listScripts({ ...every, hasPaymentPages: false }))).not.toContain('page_scans')
  })
})
