import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeSiteToken } from '../../../app/collector/site-address.ts'
import { alertDeliveries } from '../../../app/import/records/types/alert-deliveries.ts'
import { withLease } from '../../../app/program/lease.ts'
import { checkRollups } from '../../../clickhouse/rollups/check-rollups.ts'
import { removeReports } from '../../../clickhouse/rollups/remove-reports.ts'
import { randomDeliveries } from '../../../fixtures/random-records.ts'
import { randomReports } from '../../../fixtures/reports.ts'
import { insertRows } from '../../../queries/clickhouse/insert-rows.ts'
import { sql, toClickHouseTime, uuid } from '../../../queries/sql/sql.ts'
import { dayMs } from '../../../schema/durations.ts'
import { storedTypeNames } from '../../../schema/report-types.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import { cli } from '../../support/cli.ts'
import { startTestCollector, type TestCollector } from '../../support/collector.ts'
import { queryRows, type TestDatabase } from '../../support/database.ts'
import { createMigratedDatabase } from '../../support/migrated-database.ts'

const seed = Date.now() % 1_000_000_007
/** Reports of 32 days, so of two months or three. */
const span = { from: new Date(Date.now() - 32 * dayMs), to: new Date() }
const yesterday = new Date(Date.now() - dayMs)
const window = `from=${new Date(span.to.getTime() - 20 * dayMs).toISOString()}&to=${new Date(span.to.getTime() - dayMs).toISOString()}`

let database: TestDatabase
let api: TestApi
let collector: TestCollector

beforeAll(async () => {
  database = await createMigratedDatabase()
  api = await startApi(database)
  collector = await startTestCollector({ CLICKHOUSE_URL: database.writeUrl }, { siteTtlMs: 300 })
})

afterAll(async () => {
  await Promise.all([api?.close(), collector?.close()])
  await database?.drop()
})

const environment = () => ({ CLICKHOUSE_URL: database.writeUrl })

const rowsOf = async (table: string, where: string) =>
  Number((await queryRows(database.writer, `SELECT count() FROM ${table} WHERE ${where}`))[0]?.[0])

/** Three sites with reports of every type, of which some values, days and pages are of one site alone. */
async function createTenant(count: number, from = span.from) {
  const tenantId = await api.createTenant({ overrides: { retentionDays: 90, keyLimit: 100_000, tenantLimit: 100_000 } })
  const tokens = [makeSiteToken(), makeSiteToken(), makeSiteToken()]
  const siteIds: string[] = []
  for (const [index, token] of tokens.entries()) {
    siteIds.push(await api.createSite(tenantId, { name: `S${index}`, hosts: [`s${index}.test`], token }))
  }
  const given = { ...span, from, tenantId, count, reportTypes: storedTypeNames }
  await api.insertReports(
    siteIds.flatMap((siteId, index) =>
      randomReports({ ...given, seed: seed + index, siteIds: [siteId], retentionDays: 90 - index }),
    ),
  )
  return { tenantId, siteIds, tokens, key: await api.createKey(tenantId) }
}

const different = async (tenantId: string) => (await checkRollups(database.writer, { tenantId })).differences

const sideTables = () =>
  queryRows(
    database.writer,
    "SELECT name FROM system.tables WHERE database = currentDatabase() AND name LIKE '%retract%'",
  )

const deleteWords = (tenantId: string, siteId: string | undefined, confirm: string) => [
  'sites',
  'delete',
  '--tenant',
  tenantId,
  '--site',
  String(siteId),
  '--confirm',
  confirm,
]

test('a deleted site is in no response and no rollup when the command ends, while the collector goes on', async () => {
  const { tenantId, siteIds, tokens, key } = await createTenant(200)
  const [gone = '', stays = ''] = siteIds
  const other = await createTenant(50, yesterday)
  const deliveries = randomDeliveries({ ...span, seed, count: 60, siteIds: siteIds.slice(0, 2) })
  await api.importRecords(tenantId, alertDeliveries, deliveries)
  const alert = { tenant_id: tenantId, kind: 'immediate', detected_at: toClickHouseTime(new Date()) }
  await insertRows(database.writer, 'alerts', [
    ...[gone, stays].map((siteId) => ({ ...alert, id: randomUUID(), site_id: siteId })),
    ...[[gone, stays], [stays]].map((siteIds) => ({ ...alert, id: randomUUID(), kind: 'digest', site_ids: siteIds })),
  ])
  const paths = [
    `/v1/reports/count?${window}`,
    `/v1/reports/grouped?${window}&groupBy=siteId&limit=100`,
    `/v1/reports/types?${window}`,
    `/v1/issues?${window}&limit=200`,
    `/v1/browser-changes?${window}&limit=200`,
  ]
  const bodies = () => Promise.all(paths.map(async (path) => (await api.get(path, { key })).text))
  // From its second time on a response is cached, for the version of then.
  for (let times = 0; times < 3; times++) await bodies()
  const before = await bodies()
  expect(before.join()).toContain(gone)

  let [stopped, posted] = [false, 0]
  /** Posters that the deleted site has refused: no later block has a report of theirs for it. */
  const refused = new Set<number>()
  const post = async (poster: number) => {
    while (!stopped) {
      const url = `https://s1.test/${posted}`
      const report = { type: 'crash', age: 1, url, body: { reason: `reason ${posted % 7}` } }
      const foreign = { ...report, url: 'https://s0.test/' }
      if ((await collector.post(tokens[0] ?? '', [foreign])).status === 410) refused.add(poster)
      const { status } = await collector.post(tokens[1] ?? '', [report])
      expect(status).toBe(204)
      posted++
      // Each is an insert into every rollup, and the deletion shares the processor with it.
      await sleep(1_500)
    }
  }
  const posting = [post(0), post(1)]
  const { code, stderr } = await cli(deleteWords(tenantId, gone, 'S0'), {
    environment: environment(),
    settings: { untilForgotten: () => expect.poll(() => refused.size).toBe(posting.length) },
  })
  const after = await bodies()
  stopped = true
  await Promise.all(posting)
  expect({ code, stderr }).toMatchObject({ code: 0 })
  expect(after.join()).not.toContain(gone)
  for (const [index, body] of after.entries()) expect(body, paths[index]).not.toBe(before[index])
  expect(await rowsOf('reports', `site_id = '${gone}'`)).toBe(0)
  expect(await rowsOf('reports', `site_id = '${stays}' AND document_host = 's1.test' AND report_type = 'crash'`)).toBe(
    posted,
  )
  expect(await different(tenantId)).toEqual([])
  expect(await different(other.tenantId)).toEqual([])
  expect(await sideTables()).toEqual([])
  const deliveriesAfter = (await api.get('/v1/alert-deliveries?limit=200', { key })).text
  expect(deliveriesAfter).toContain(stays)
  expect(deliveriesAfter).not.toContain(gone)
  expect(await rowsOf('alerts', `site_id = '${gone}' OR has(site_ids, toUUID('${gone}'))`)).toBe(0)
  expect(await rowsOf('alerts', `site_id = '${stays}' OR has(site_ids, toUUID('${stays}'))`)).toBe(2)
})

test('a deletion that is cut off between two rollups is ended by another', async () => {
  const { tenantId, siteIds } = await createTenant(40, yesterday)
  const [gone = ''] = siteIds
  let steps = 0
  const cutOff = async () => {
    if (++steps === 6) throw new Error('cut off')
  }
  const where = sql`tenant_id = ${uuid(tenantId)} AND site_id = ${uuid(gone)}`
  const run = () => removeReports([database.writer], { tenantId, id: gone, where, onStep: cutOff })
  await expect(run()).rejects.toThrow('cut off')
  await api.insertReports(
    randomReports({
      ...span,
      from: yesterday,
      count: 20,
      seed: seed + 9,
      tenantId,
      siteIds: [gone],
      retentionDays: 90,
    }),
  )
  // No collector knows the site.
  const settings = { untilForgotten: async () => {} }
  const words = (confirm: string) => cli(deleteWords(tenantId, gone, confirm), { environment: environment(), settings })
  // Reports that were stored after the copy are not deleted with it, but by another run.
  const first = await words('S0')
  expect(first).toMatchObject({ code: 2, stderr: expect.stringContaining('Rows were stored during the deletion') })
  expect(await words(gone)).toMatchObject({ code: 0 })
  expect(await different(tenantId)).toEqual([])
  expect(await sideTables()).toEqual([])
})

test('an import of the tenant waits for the deletion of a site, and begins then', async () => {
  const lease = { database: database.writer, leaseId: crypto.randomUUID() }
  const refuse = () => expect.unreachable()
  let imported: Promise<string> | undefined
  await withLease({ ...lease, onWait: refuse, kind: 'site deletion' }, async () => {
    const kind = await new Promise<string>((waitFor) => {
      imported = withLease({ ...lease, kind: 'import', onWait: (_, kind) => waitFor(kind) }, async () => 'imported')
    })
    expect(kind).toBe('site deletion')
  })
  expect(await imported).toBe('imported')
})
