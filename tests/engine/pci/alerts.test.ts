import { afterAll, beforeAll, expect, test } from 'vitest'
import { completeScan } from '../../../fixtures/scans.ts'
import { dayMs, hourMs } from '../../../schema/durations.ts'
import { gradeEvent } from '../../../schema/pci.ts'
import type { AlertDelivery } from '../../../schema/responses/alert-delivery.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import { ready, scenarioRecords } from '../../support/pci-scenarios.ts'
import { createPciTenants } from '../../support/pci-tenants.ts'

const now = Date.now()

let api: TestApi

beforeAll(async () => {
  api = await startApi({ now: () => new Date(now) })
})
afterAll(() => api?.close())

/** Whether a drop of a grade counts as alerted, where one alert reached destinations so long after the scan. */
async function alerted(delays: readonly number[]): Promise<boolean[]> {
  const droppedAt = now - 3 * dayMs
  const at = (time: number) => new Date(time).toISOString()
  const make = (tenantId: string, [siteId = '']: readonly string[]) => {
    const records = scenarioRecords({ ...ready, pages: [[]] }, { tenantId, siteId, now })
    const scan = (scannedAt: number, grade: 'A' | 'B') =>
      completeScan({ id: crypto.randomUUID(), pageId: records.pages[0]?.id ?? '', scannedAt: at(scannedAt), grade })
    const deliveries = delays.map(
      (delay, index): AlertDelivery => ({
        id: `${siteId}-${index}`,
        alertId: siteId,
        kind: 'immediate',
        outcome: 'delivered',
        detail: null,
        destination: { id: `on-call-${index}`, name: 'On call', type: 'email' },
        eventType: gradeEvent,
        siteId,
        siteIds: [],
        summary: null,
        createdAt: at(droppedAt + delay),
      }),
    )
    return { ...records, scans: [scan(droppedAt - dayMs, 'A'), scan(droppedAt, 'B')], deliveries }
  }
  const [[site] = []] = await createPciTenants(api, [{ plan: 'business', siteNames: ['Shop'], make }])
  const { body } = await api.get(`/v1/compliance/pci-dss?siteId=${site?.world.siteId}`, { key: site?.key })
  return body.data.evidence.changes.map((change: { alerted: boolean }) => change.alerted)
}

test('an alert counts that reached its first destination within a day, whenever it reached another', async () => {
  expect(await alerted([hourMs, 30 * hourMs])).toEqual([true])
  expect(await alerted([30 * hourMs])).toEqual([false])
})
