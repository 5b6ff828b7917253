import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { readReport } from '../../../app/endpoints/compliance/read-report.ts'
import { alertDeliveries } from '../../../app/import/records/types/alert-deliveries.ts'
import { alertRules } from '../../../app/import/records/types/alert-rules.ts'
import { monitoredPages } from '../../../app/import/records/types/monitored-pages.ts'
import { scans } from '../../../app/import/records/types/scans.ts'
import { scriptCaptures } from '../../../app/import/records/types/script-captures.ts'
import { scriptDecisions } from '../../../app/import/records/types/script-decisions.ts'
import { insertNextRow } from '../../../app/tenants/insert-next-row.ts'
import { fetches, scannedScript } from '../../../fixtures/scanned-scripts.ts'
import { completeScan, sending } from '../../../fixtures/scans.ts'
import { seeded } from '../../../fixtures/seeded.ts'
import type { Database } from '../../../queries/clickhouse/database.ts'
import { toReader } from '../../../queries/sql/query.ts'
import { sql, text, uuid } from '../../../queries/sql/sql.ts'
import { dayMs } from '../../../schema/durations.ts'
import type { PlanOverrides } from '../../../schema/plans.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import { connectPatiently } from '../../support/patience.ts'
import { ready, scenarioRecords } from '../../support/pci-scenarios.ts'
import { createPciTenants } from '../../support/pci-tenants.ts'
import type { TestKey } from '../../support/tenants.ts'

const seed = Date.now() % 1_000_000_007
const ago = (ms: number) => new Date(Date.now() - ms).toISOString()

let api: TestApi
let writer: Database

beforeAll(async () => {
  api = await startApi({ keyTtlMs: 1 })
  writer = connectPatiently(inject('servers').writeUrl)
})

afterAll(() => Promise.all([api?.close(), writer?.close()]))

interface Site {
  readonly tenantId: string
  readonly siteId: string
  readonly key: TestKey
  readonly pageId: string
}

async function createSite(overrides: PlanOverrides = {}): Promise<Site> {
  const made = { tenantId: '', pageId: '' }
  const make = (tenantId: string, [siteId = '']: readonly string[]) => {
    const records = scenarioRecords(ready, { tenantId, siteId, now: Date.now() })
    Object.assign(made, { tenantId, pageId: records.pages[0]?.id })
    return records
  }
  const [[site] = []] = await createPciTenants(api, [{ plan: 'business', overrides, siteNames: ['Shop'], make }])
  if (!site) throw new Error('no site')
  return { ...made, siteId: site.world.siteId, key: site.key }
}

/** `data` of the report, as of now without a time. */
async function report({ siteId, key }: Site, asOf?: string) {
  const query = new URLSearchParams({ siteId, ...(asOf && { asOf }) })
  const { status, body } = await api.get(`/v1/compliance/pci-dss/report?${query}`, { key })
  expect(body.error).toBeUndefined()
  expect(status).toBe(200)
  // What is written next is written later.
  await sleep(2)
  return body.data
}

const scriptUrl = 'https://shop.example.test/js/app.js'

/** Each stores or changes a record of one kind; times of records are long before they are stored. */
const changes: Readonly<Record<string, (site: Site, random: ReturnType<typeof seeded>) => Promise<void>>> = {
  decision: ({ tenantId, siteId }, random) =>
    api.importRecords(tenantId, scriptDecisions, [
      {
        id: randomUUID(),
        siteId,
        url: scriptUrl,
        status: 'authorized',
        integrityMode: 'any_content',
        decidedBy: { name: 'Ada', email: 'ada@example.test' },
        decidedAt: ago(random.below(40) * dayMs),
      },
    ]),
  async scan({ tenantId, pageId }, random) {
    const scripts = [scannedScript(scriptUrl, fetches.own, { release: random.below(1_000_000) })]
    const headers = sending({ 'x-frame-options': random.pick(['deny', 'sameorigin', 'none']) })
    const named = { id: randomUUID(), pageId, scannedAt: ago(random.below(20) * dayMs + 1) }
    await api.importRecords(tenantId, scans, [
      completeScan({ ...named, headers, scripts, grade: random.pick(['A', 'B', 'C']) }),
    ])
  },
  alert: ({ tenantId, siteId }, random) =>
    api.importRecords(tenantId, alertDeliveries, [
      {
        id: randomUUID(),
        alertId: randomUUID(),
        kind: 'immediate',
        outcome: 'delivered',
        detail: null,
        destination: { id: 'on-call', name: 'On call', type: 'email' },
        eventType: 'page.headers_changed',
        siteId,
        siteIds: [],
        summary: null,
        createdAt: ago(random.below(20) * dayMs),
      },
    ]),
  rule: ({ tenantId, siteId }, random) =>
    api.importRecords(tenantId, alertRules, [
      {
        id: `${siteId}-0`,
        siteId,
        eventType: 'page.headers_changed',
        kind: 'immediate',
        destinationId: `dest-${random.below(1_000_000)}`,
        enabled: random.chance(0.5),
      },
    ]),
  page: ({ tenantId, siteId, pageId }, random) =>
    api.importRecords(tenantId, monitoredPages, [
      {
        id: pageId,
        siteId,
        kind: 'payment',
        label: `Page ${random.below(1_000_000)}`,
        position: 0,
        pattern: 'https://shop.example.test/checkout',
        scanUrl: 'https://shop.example.test/checkout',
      },
    ]),
  capture: ({ tenantId, siteId }, random) =>
    api.importRecords(tenantId, scriptCaptures, [
      {
        siteId,
        url: scriptUrl,
        hash: `sha256-${String(random.below(1e9)).padStart(43, 'B')}=`,
        state: 'captured',
        source: 'scan',
        fetchedUrl: scriptUrl,
        size: 5,
      },
    ]),
  plan: ({ tenantId }, random) =>
    insertNextRow(writer, 'tenants', sql`id = ${uuid(tenantId)}`, {
      plan: text(random.pick(['professional', 'business', 'enterprise'])),
      name: text(`Tenant ${random.below(1_000_000)}`),
    }),
  site: ({ tenantId, siteId }, random) =>
    insertNextRow(writer, 'sites', sql`tenant_id = ${uuid(tenantId)} AND id = ${uuid(siteId)}`, {
      name: text(`Shop ${random.below(1_000_000)}`),
    }),
}

const withoutTimes = ({ generatedAt: _, limits: __, ...lasting }: Record<string, unknown>) => lasting

test('the report as of a time is the one that was computed at that time, whatever was recorded since', async () => {
  const random = seeded(seed)
  // The same with every plan: a shorter retention removes reports, on which `observed` rests.
  const site = await createSite({ retentionDays: 90 })
  const computed = [await report(site)]
  const order = Object.keys(changes).sort(() => random.next() - 0.5)
  for (const kind of order) {
    await changes[kind]?.(site, random)
    computed.push(await report(site))
  }
  for (const [index, then] of computed.entries()) {
    const again = await report(site, then.evidence.asOf)
    expect({ seed, order, index, ...withoutTimes(again) }).toEqual({ seed, order, index, ...withoutTimes(then) })
  }
  const evidence = computed.map((one) => ({ ...one.evidence, asOf: '' }))
  for (const [index, kind] of order.entries()) expect(evidence[index + 1], kind).not.toEqual(evidence[index])
})

test('a record that is imported again changes no report, earlier or later', async () => {
  const site = await createSite()
  const random = seeded(seed)
  const record = {
    id: randomUUID(),
    siteId: site.siteId,
    url: scriptUrl,
    status: 'rejected',
    decidedBy: { name: null, email: 'bob@example.test' },
    decidedAt: ago(9 * dayMs),
  }
  await api.importRecords(site.tenantId, scriptDecisions, [record])
  await changes.scan?.(site, random)
  const before = await report(site)
  await api.importRecords(site.tenantId, scriptDecisions, [record])
  const after = await report(site)
  expect((await report(site, before.evidence.asOf)).evidenceHash).toBe(before.evidenceHash)
  expect({ ...after.evidence, asOf: '' }).toEqual({ ...before.evidence, asOf: '' })
})

test('a record of long ago counts from when it was stored, and a copy of its row from then too', async () => {
  const site = await createSite()
  const before = await report(site)
  await changes.decision?.(site, seeded(seed))
  const after = await report(site)
  expect(after.evidence.decisions.length).toBe(before.evidence.decisions.length + 1)
  const [found] = after.evidence.decisions.filter(({ decidedBy }: { decidedBy: { name: string } }) => decidedBy.name)
  expect(Date.parse(found.recordedAt)).toBeGreaterThan(Date.parse(before.evidence.asOf))
  // As a move to another shard copies it.
  await writer.command(
    `INSERT INTO script_decisions SELECT * FROM script_decisions WHERE tenant_id = '${site.tenantId}'`,
  )
  await writer.command(
    `INSERT INTO script_decisions_history SELECT * FROM script_decisions_history WHERE tenant_id = '${site.tenantId}'`,
  )
  expect((await report(site, after.evidence.asOf)).evidenceHash).toBe(after.evidenceHash)
  expect((await report(site, before.evidence.asOf)).evidenceHash).toBe(before.evidenceHash)
})

test('retention that is shortened leaves the hash, and the report says what is missing', async () => {
  const site = await createSite()
  const asOf = ago(0)
  await sleep(2)
  const before = await report(site, asOf)
  await insertNextRow(writer, 'tenants', sql`id = ${uuid(site.tenantId)}`, { plan: text('team') })
  await sleep(2)
  const after = await report(site, asOf)
  expect(after.evidenceHash).toBe(before.evidenceHash)
  expect(after.evidence.plan.name).toBe('business')
  expect(Date.parse(after.observed.window.from) - Date.parse(before.observed.window.from)).toBe(60 * dayMs)
  expect(before.limits.join()).not.toContain('out of the plan’s retention now')
  expect(after.limits.join()).toContain('out of the plan’s retention now')
})

test('a report whose reports retention has removed judges the scripts of scans, whose integrity is unknown', async () => {
  const site = await createSite()
  await changes.scan?.(site, seeded(seed))
  await sleep(2)
  const asOf = ago(0)
  await sleep(2)
  const before = await report(site, asOf)
  // As if it were read when its window has passed.
  const after = await readReport(toReader(writer.read), {
    tenantId: site.tenantId,
    siteId: site.siteId,
    asOf: new Date(asOf),
    now: new Date(Date.now() + 400 * dayMs),
    stored: { from: Date.now() + 300 * dayMs, to: Date.now() + 400 * dayMs },
  })
  const [scripts] = after.requirements
  expect(scripts).toMatchObject({
    status: 'partial',
    gaps: [{ kind: 'integrity_unmeasured' }, { kind: 'unpinned_scripts' }],
  })
  // Of the two that browsers reported too, a scan found one.
  expect([before.requirements[0].facts, scripts?.facts]).toMatchObject([{ scripts: 2 }, { scripts: 1, authorized: 1 }])
  expect(after.observed.scripts.map(({ coverage }) => coverage.state)).toEqual(
    after.observed.scripts.map(() => 'unknown'),
  )
  expect(after.evidenceHash).toBe(before.evidenceHash)
  expect(after.requirements[1]).toEqual(before.requirements[1])
})

test('the earliest time of a site that was found when its history began is its creation', async () => {
  const tenantId = await api.createTenant()
  const createdAt = Date.now() - 9 * dayMs
  const siteId = await api.createSite(tenantId, { createdAt })
  const key = await api.createKey(tenantId)
  for (const table of ['tenants_history', 'sites_history']) {
    await writer.command(
      `INSERT INTO ${table} SELECT * REPLACE (toDateTime64(0, 3, 'UTC') AS updated_at) FROM ${table} WHERE tenant_id = '${tenantId}'`,
    )
  }
  const query = new URLSearchParams({ siteId, asOf: '2020-01-01T00:00:00Z' })
  const { body } = await api.get(`/v1/compliance/pci-dss/report?${query}`, { key })
  expect(body.error.message).toBe(
    `asOf must not be before the site was recorded: the earliest is ${new Date(createdAt).toISOString()}`,
  )
})
