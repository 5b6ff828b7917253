import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { Endpoint } from '../../../app/pipeline/endpoint.ts'
import { insertNextRow } from '../../../app/tenants/insert-next-row.ts'
import { aReport, randomReports } from '../../../fixtures/reports.ts'
import { seeded } from '../../../fixtures/seeded.ts'
import { uuidV7 } from '../../../fixtures/uuid-v7.ts'
import type { Database } from '../../../queries/clickhouse/database.ts'
import { sql, text, uuid } from '../../../queries/sql/sql.ts'
import { dayMs } from '../../../schema/durations.ts'
import { storedTypeNames } from '../../../schema/report-types.ts'
import type { StoredReport } from '../../../schema/stored-report.ts'
import { type ApiResponse, startApi, type TestApi } from '../../support/api.ts'
import { aSighting, operations, type Query, urlOf } from '../../support/contract.ts'
import { connectPatiently } from '../../support/patience.ts'
import { plenty, type TestKey } from '../../support/tenants.ts'
import { importWorldRecords } from '../../support/world-records.ts'

/** Retention in days before and after the raise, which is at the start of the test. */
const [short, long] = [7, 30]
const start = Date.now()
const seed = start % 1_000_000_007
/**
 * Days after the raise, each 5 s of processor time: one while rows of the shorter retention remain, one later, by the
 * seed. `EVERY_DAY=1` for all until the raise is forgotten.
 */
const days = process.env.EVERY_DAY
  ? Array.from({ length: long + 9 }, (_, day) => day)
  : [1 + (seed % short), short + 1 + (seed % long)]
const today = (time: number) => Math.floor(time / dayMs)

let now = start
let api: TestApi
let writer: Database
let tenantId: string
let siteIds: string[]
let key: TestKey
/** Reports of the tenant. All are on the disk, because ClickHouse's clock does not move. */
let rows: StoredReport[]

const overrides = (retentionDays: number) => ({ ...plenty, retentionDays })

beforeAll(async () => {
  api = await startApi({ now: () => new Date(now) })
  writer = connectPatiently(inject('servers').writeUrl)
  tenantId = await api.createTenant({ overrides: overrides(short) })
  siteIds = await api.createSites(tenantId, 2)
  key = await api.createKey(tenantId)
  const raised = { overrides: text(JSON.stringify(overrides(long))) }
  await insertNextRow(writer, 'tenants', sql`id = ${uuid(tenantId)}`, raised)
  await importWorldRecords(api, { tenantId, siteIds }, 3)
  const before = new Date((today(start) - short) * dayMs)
  const received = [...reportsOf({ from: before, to: new Date(start) }, short), ...knownReports(short)]
  // Stored after the raise beside others of their rollups' rows, and some from before the shorter retention.
  const random = seeded(seed + 2)
  const imported = received
    .filter((_, index) => index % 2 === 0)
    .map((row) => ({ ...row, id: uuidV7(row.receivedAt, random), retentionDays: long }))
  const earlier = reportsOf({ from: new Date((today(start) - long + 1) * dayMs), to: before }, long)
  rows = [...received, ...imported, ...earlier]
  await api.insertReports(received)
  await api.insertReports([...imported, ...earlier])
})

afterAll(() => Promise.all([api?.close(), writer?.close()]))

function reportsOf(span: { readonly from: Date; readonly to: Date }, retentionDays: number): StoredReport[] {
  const days = (span.to.getTime() - span.from.getTime()) / dayMs
  const given = { tenantId, siteIds, ...span, retentionDays, seed: seed + span.from.getTime() }
  const violations = randomReports({ ...given, count: Math.ceil(60 * days), reportTypes: ['csp-violation'] })
  return [
    ...violations,
    ...randomReports({ ...given, seed: seed + 1, count: Math.ceil(60 * days), reportTypes: storedTypeNames }),
  ]
}

/** In every site some of the issue and the script that the operations' examples are of, one a day. */
function knownReports(retentionDays: number): StoredReport[] {
  return siteIds.flatMap((siteId, index) =>
    Array.from({ length: short }, (_, day) => {
      const given = { tenantId, siteId, retentionDays, receivedAt: start - day * dayMs - 60_000 - index }
      return [aReport(given), aSighting({ ...given, receivedAt: given.receivedAt - 500 })]
    }).flat(),
  )
}

/** A copy of the tenant that never stored an expired report. */
async function createTwin(): Promise<{ twin: string; twinKey: TestKey }> {
  const twin = await api.createTenant({ overrides: overrides(long) })
  const copy = (table: string, token = '') =>
    writer.command(
      `INSERT INTO ${table} SELECT * REPLACE (toUUID('${twin}') AS tenant_id${token}) FROM ${table} WHERE ${table}.tenant_id = '${tenantId}'`,
    )
  await copy('sites', ', reverse(token) AS token')
  for (const table of ['monitored_pages', 'page_scans', 'alert_deliveries']) await copy(table)
  const live = rows.filter(({ receivedAt, retentionDays }) => today(receivedAt) + retentionDays >= today(now))
  await api.insertReports(live.map((row) => ({ ...row, tenantId: twin })))
  // These outlive the reports.
  await copy('issue_first_seen')
  await copy('script_versions')
  return { twin, twinKey: await api.createKey(twin) }
}

/** Without a window, and windows at odd and at whole days on both sides of the raise. */
function windowsOf({ window }: Endpoint): Query[] {
  if (typeof window !== 'object') return [{}]
  const first = (today(now) - long) * dayMs
  const within = (from: number, to: number): Query[] => {
    const clipped = Math.max(from, first, to - window.maxDays * dayMs)
    return clipped < to ? [{ from: new Date(clipped).toISOString(), to: new Date(to).toISOString() }] : []
  }
  const raise = (today(start) + 1) * dayMs
  return [
    {},
    ...within(first, now),
    ...within(start - 6.3 * dayMs, Math.min(now, start + 2.6 * dayMs)),
    ...within(raise - 5 * dayMs, raise - 2 * dayMs),
  ]
}

function queriesOf(endpoint: Endpoint): Query[] {
  const types = storedTypeNames.filter((type) => endpoint.query.reportType?.safeParse(type).success)
  const groups =
    endpoint.name === 'reports.grouped' ? ['siteId,directive', 'blockedHost', 'documentHost,blockedHost', 'page'] : []
  return [
    {},
    ...types
      .filter((type) => type !== 'csp-violation')
      .slice(0, 2)
      .map((reportType) => ({ reportType })),
    ...groups.map((groupBy) => ({ groupBy })),
    ...('groupBy' in endpoint.query && groups.length === 0 ? [{ groupBy: 'blockedHost' }] : []),
    ...('noise' in endpoint.query ? [{ noise: 'exclude' }] : []),
    ...('series' in endpoint.query ? [{ series: 'true' }] : []),
    ...('timeZone' in endpoint.query ? [{ timeZone: 'Asia/Kolkata', bucketSize: '1d', noise: 'exclude' }] : []),
  ]
}

/** Cursors, hashes, sites' tokens and ids of the tenant and the request differ. */
function comparable({ status, text: response }: ApiResponse) {
  return {
    status,
    text: response
      .replaceAll(/"(nextCursor|evidenceHash|requestId)":"[^"]*"/g, '"$1":""')
      .replaceAll(/\/r\/[\w-]{22}/g, '/r/TOKEN')
      .replaceAll(/"tenant":\{"id":"[^"]*"/g, '"tenant":{"id":""'),
  }
}

describe('after a raise of retention the rows that expired under the shorter one are in no response', () => {
  test.each(days)('%i days later', async (day) => {
    const previous = now
    now = start + day * dayMs
    if (now > previous) {
      const stored = reportsOf({ from: new Date(Math.max(previous, now - 2 * dayMs)), to: new Date(now) }, long)
      rows.push(...stored)
      await api.insertReports(stored)
    }
    const { twinKey } = await createTwin()
    const [siteId = ''] = siteIds
    const differing: string[] = []
    for (const [name, endpoint] of operations.all) {
      if (name === 'me') continue
      for (const query of queriesOf(endpoint).flatMap((one) =>
        windowsOf(endpoint).map((window) => ({ ...one, ...window })),
      )) {
        const path = urlOf(endpoint, { siteId, query })
        const [own, expected] = await Promise.all([api.get(path, { key }), api.get(path, { key: twinKey })])
        if (JSON.stringify(comparable(own)) !== JSON.stringify(comparable(expected)))
          differing.push(path, own.text.slice(0, 500), expected.text.slice(0, 500))
      }
    }
    expect(differing).toEqual([])
  })
})
