import { describe, expect, test } from 'vitest'
import { readRecord } from '../../app/import/read-record.ts'
import { alertDeliveries } from '../../app/import/record-types/alert-deliveries.ts'
import { alertRules } from '../../app/import/record-types/alert-rules.ts'
import { isRefusal } from '../../app/import/refusal.ts'
import { demoAlertDeliveries, demoAlertRules } from '../../fixtures/demo-alerts.ts'
import { demoTenant, otherTenant } from '../../fixtures/demo-tenants.ts'

const now = new Date('2026-11-21T15:04:05.678Z')
const deliveries = demoAlertDeliveries({ tenant: demoTenant, now })
const valuesOf = (of: (one: (typeof deliveries)[number]) => unknown) => new Set(deliveries.map(of))

describe('demo alerts', () => {
  test('are the same for the same time', () => {
    expect(demoAlertDeliveries({ tenant: demoTenant, now })).toEqual(deliveries)
  })

  test('are records that the import takes, each with an id of its own', () => {
    for (const [type, records] of [
      [alertRules, demoAlertRules(demoTenant)],
      [alertDeliveries, deliveries],
    ] as const) {
      for (const record of records) expect(isRefusal(readRecord(type, JSON.stringify(record), undefined))).toBe(false)
      expect(new Set(records.map(({ id }) => id)).size).toBe(records.length)
    }
  })

  test('are of every kind, outcome and type of destination, and to a deleted one', () => {
    expect(valuesOf(({ kind }) => kind)).toEqual(new Set(['immediate', 'digest', 'test']))
    expect(valuesOf(({ outcome }) => outcome)).toEqual(new Set(['delivered', 'rejected', 'dropped']))
    expect(valuesOf(({ destination }) => destination.type)).toEqual(new Set(['email', 'webhook', 'slack', null]))
    expect(valuesOf(({ summary, kind }) => kind === 'immediate' && summary)).toContain(null)
  })

  test('lie in the 62 days before now, and are about sites of the tenant', () => {
    const times = deliveries.map(({ createdAt }) => Date.parse(createdAt))
    expect(Math.max(...times)).toBeLessThan(now.getTime())
    expect(Math.min(...times)).toBeGreaterThan(now.getTime() - 63 * 86_400_000)
    const sites = new Set<string | null>([null, ...demoTenant.sites.map(({ id }) => id)])
    for (const { siteId, siteIds } of deliveries) for (const id of [siteId, ...siteIds]) expect(sites).toContain(id)
  })

  test('are not the other tenant’s', () => {
    expect(demoAlertRules(otherTenant)).toEqual([])
    expect(demoAlertDeliveries({ tenant: otherTenant, now })).toEqual([])
  })
})
