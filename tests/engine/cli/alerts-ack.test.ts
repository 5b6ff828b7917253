import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { alertDeliveries } from '../../../app/import/records/types/alert-deliveries.ts'
import { scans } from '../../../app/import/records/types/scans.ts'
import { completeScan, sending } from '../../../fixtures/scans.ts'
import { dayMs, hourMs } from '../../../schema/durations.ts'
import type { PciReport } from '../../../schema/responses/pci-report.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import { done, makeTenant, refused } from '../../support/cli-commands.ts'
import { createReportSite, type ReportSite } from '../../support/pci-report-site.ts'

let api: TestApi
let site: ReportSite

beforeAll(async () => {
  api = await startApi()
  site = await createReportSite(api, 'Shop')
})

afterAll(() => api?.close())

const get = async (path: string, query: Readonly<Record<string, string>> = {}) =>
  (await api.get(`${path}?${new URLSearchParams({ siteId: site.world.siteId, ...query })}`, { key: site.key })).body
    .data

const report = (query?: Readonly<Record<string, string>>): Promise<PciReport> =>
  get('/v1/compliance/pci-dss/report', query)

const acknowledge = (deliveryId: string, ...more: string[]) =>
  done('alerts', 'ack', '--tenant', site.tenantId, '--delivery', deliveryId, '--by', 'Ada', '--note', 'Ours', ...more)

const requirement = async () => (await get('/v1/compliance/pci-dss')).requirements[1]

test('a change whose alert was rejected is told if the alert is acknowledged, from that time on', async () => {
  const [before, contract] = [await report(), await get('/v1/alert-deliveries')]
  const rejected = before.evidence.deliveries.find(({ outcome }) => outcome === 'rejected')?.id ?? ''
  const { response } = await acknowledge(rejected, '--ticket', 'OPS-1')
  expect(response).toMatchObject({ deliveryId: rejected, acknowledgedBy: 'Ada', note: 'Ours', ticket: 'OPS-1' })
  await acknowledge(rejected)
  const after = await report()
  const delivery = after.evidence.deliveries.find(({ id }) => id === rejected)
  expect(delivery?.acknowledgements.map(({ ticket }) => ticket)).toEqual(['OPS-1', null])
  expect(delivery?.acknowledgements[0]).toEqual(response)
  const acknowledged = after.evidence.changes.filter(({ acknowledgedAt }) => acknowledgedAt !== null)
  expect(acknowledged).toMatchObject([{ alertIds: [], acknowledgedAt: response.acknowledgedAt }])
  expect(after.requirements[1]?.facts).toMatchObject({ changes: 3, alerted: 1, acknowledged: 1 })
  expect(after.requirements[1]?.summary).toContain('1 alerted within a day + 1 acknowledged + 1 not = 3')
  const { asOf } = before.evidence
  expect((await report({ asOf })).evidenceHash).toBe(before.evidenceHash)
  expect(await get('/v1/alert-deliveries')).toEqual(contract)
  const listed = await get('/v1/alert-deliveries', { acknowledgements: 'true' })
  expect(listed.map(({ acknowledgements, ...one }: { acknowledgements: unknown[] }) => one)).toEqual(contract)
  expect(listed.flatMap(({ acknowledgements }: { acknowledgements: unknown[] }) => acknowledgements)).toEqual(
    delivery?.acknowledgements,
  )
  const key = await api.createKey(site.tenantId)
  const { text } = await api.get(
    `/v1/compliance/pci-dss/report?${new URLSearchParams({ siteId: site.world.siteId, format: 'html' })}`,
    { key },
  )
  expect(text).toContain('OPS-1, Ours')
})

test('an acknowledgement later than seven days after the change is shown and does not count', async () => {
  const pageId = site.world.pages[0]?.id ?? ''
  const ago = (ms: number) => new Date(Date.now() - ms).toISOString()
  const scan = (age: number, frame: string) =>
    completeScan({
      id: randomUUID(),
      pageId,
      scannedAt: ago(age),
      headers: sending({ 'content-security-policy': `frame-src ${frame}` }),
    })
  const changed = scan(8 * dayMs, 'https://z.test')
  await api.importRecords(site.tenantId, scans, [scan(9 * dayMs, 'https://y.test'), changed])
  const delivery = {
    id: randomUUID(),
    alertId: randomUUID(),
    kind: 'immediate',
    outcome: 'rejected',
    siteId: site.world.siteId,
    siteIds: [],
    scanIds: [changed.id],
    detail: null,
    summary: null,
    destination: { id: 'late', name: 'Late', type: 'email' },
    eventType: 'page.headers_changed',
    createdAt: ago(8 * dayMs - hourMs),
  }
  await api.importRecords(site.tenantId, alertDeliveries, [delivery])
  const { facts } = await requirement()
  await acknowledge(delivery.id)
  expect((await requirement()).facts).toEqual(facts)
  const { evidence } = await report()
  expect(evidence.deliveries.find(({ id }) => id === delivery.id)?.acknowledgements).toHaveLength(1)
  expect(evidence.changes.find(({ scanId }) => scanId === changed.id)).toMatchObject({ acknowledgedAt: null })
})

test('only an immediate alert of the tenant about a site is acknowledged, by a person with a note', async () => {
  const words = ['alerts', 'ack', '--tenant', site.tenantId, '--delivery']
  const rest = ['--by', 'Ada', '--note', 'x']
  expect(await refused(...words, 'none', ...rest)).toBe('The tenant has no delivery none: see /v1/alert-deliveries')
  const [{ id }] = await get('/v1/alert-deliveries')
  const other = await makeTenant()
  expect(await refused('alerts', 'ack', '--tenant', other, '--delivery', id, ...rest)).toContain('has no delivery')
  expect(await refused(...words, id, '--note', 'x')).toContain('--by')
  expect(await refused(...words, id, '--by', 'Ada', '--note', ' ')).toContain('--note must be 1 to 4000 characters')
  const ofTest = {
    id: randomUUID(),
    alertId: randomUUID(),
    kind: 'test',
    outcome: 'delivered',
    siteId: null,
    siteIds: [],
    detail: null,
    summary: null,
    destination: { id: 'd', name: 'D', type: 'email' },
    eventType: null,
    createdAt: new Date().toISOString(),
  }
  await api.importRecords(site.tenantId, alertDeliveries, [ofTest])
  expect(await refused(...words, ofTest.id, ...rest)).toContain('is not of an immediate alert about a site')
})
