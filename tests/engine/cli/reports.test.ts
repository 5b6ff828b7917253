import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkRollups } from '../../../clickhouse/rollups/check-rollups.ts'
import { hasBucket, listAggregates } from '../../../clickhouse/rollups/list-rollups.ts'
import { removeReports } from '../../../clickhouse/rollups/remove-reports.ts'
import { randomReports } from '../../../fixtures/reports.ts'
import { insertRows } from '../../../queries/clickhouse/insert-rows.ts'
import { sql, toClickHouseTime, uuid } from '../../../queries/sql/sql.ts'
import { listLostParts } from '../../../queries/tenants/imports.ts'
import { dayMs } from '../../../schema/durations.ts'
import { storedTypeNames } from '../../../schema/report-types.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import { cli } from '../../support/cli.ts'
import { commandsOn } from '../../support/cli-commands.ts'
import { queryRows, type TestDatabase } from '../../support/database.ts'
import { createMigratedDatabase } from '../../support/migrated-database.ts'

const seed = Date.now() % 1_000_000_007
const retentionDays = 90
const now = Date.now()
const span = { from: new Date(now - 20 * dayMs), to: new Date(now - dayMs) }

let database: TestDatabase
let api: TestApi
let tenantId: string
let siteIds: string[]

const { run, done, refused } = commandsOn(() => database.writeUrl, { untilForgotten: async () => {} })

beforeAll(async () => {
  database = await createMigratedDatabase()
  api = await startApi(database)
  tenantId = await api.createTenant()
  const otherId = await api.createTenant()
  siteIds = await api.createSites(tenantId, 2)
  const given = { ...span, retentionDays, reportTypes: storedTypeNames }
  await api.insertReports([
    ...randomReports({ ...given, count: 600, seed, tenantId, siteIds }),
    ...randomReports({
      ...given,
      count: 60,
      seed: seed + 1,
      tenantId: otherId,
      siteIds: await api.createSites(otherId, 1),
    }),
  ])
})

afterAll(async () => {
  await api?.close()
  await database?.drop()
})

const count = async (where: string) =>
  Number((await queryRows(database.writer, `SELECT count() FROM reports WHERE ${where}`))[0]?.[0])

const sum = (counts: Record<string, number>) => Object.values(counts).reduce((all, one) => all + one, 0)

/** Rollups, and tables without a bucket, are what the views give of the stored reports. */
async function expectMended() {
  expect((await checkRollups(database.writer)).differences).toEqual([])
  for (const { table, keys, measures } of (await listAggregates(database.writer)).filter((one) => !hasBucket(one))) {
    const columns = [...keys, ...measures.map(({ column }) => column)].filter((column) => column !== 'stored_at')
    const [[view] = []] = await queryRows(
      database.writer,
      `SELECT as_select FROM system.tables WHERE database = currentDatabase() AND name = '${table}_mv'`,
    )
    const stored = `SELECT ${columns} FROM ${table} FINAL`
    const expected = `SELECT ${columns} FROM (${view})`
    const differing = `SELECT count() FROM ((${stored} EXCEPT ${expected}) UNION ALL (${expected} EXCEPT ${stored}))`
    expect(await queryRows(database.writer, differing), table).toEqual([[0]])
  }
  const work = `SELECT name FROM system.tables WHERE database = currentDatabase() AND name LIKE '%retract%'`
  expect(await queryRows(database.writer, work)).toEqual([])
}

test('a deletion by filter removes the reports that the API exports by it, and what rollups and sightings have of them', async () => {
  const [siteId = ''] = siteIds
  const key = await api.createKey(tenantId)
  const window = `from=${span.from.toISOString()}&to=${span.to.toISOString()}&reportType=csp-violation&siteId=${siteId}`
  const total = async () => (await api.get(`/v1/reports/count?${window}`, { key })).body.data.reportCount
  const all = await count('true')
  const ofSite = await total()
  const exported = await api.get(`/v1/reports/export?${window}&browserName.any=Chrome&browserName.any=Firefox`, { key })
  const matching = Number(exported.headers.get('Export-Report-Count'))
  expect(matching).toBeGreaterThan(0)
  const words = ['reports', 'delete', '--tenant', tenantId, '--site', siteId, '--type', 'csp-violation']
  const browsers = ['--browser-name-any', 'Chrome', '--browser-name-any', 'Firefox', '--from', span.from.toISOString()]
  const dry = await done(...words, ...browsers, '--dry-run')
  expect(dry.response).toEqual({ dryRun: true, reports: { 'csp-violation': matching } })
  expect(await count('true')).toBe(all)
  const { response, stderr } = await done(...words, ...browsers, '--by', 'ada@example.com')
  expect(response).toEqual({ dryRun: false, reports: { 'csp-violation': matching } })
  expect(stderr).toMatch(new RegExp(`^Deleting ${matching} csp-violation reports`, 'm'))
  expect(await count('true')).toBe(all - matching)
  expect(await total()).toBe(ofSite - matching)
  await expectMended()
  const { deletions } = (await done('reports', 'deletions', '--tenant', tenantId)).response
  expect(deletions).toEqual([
    {
      id: expect.any(String),
      startedAt: expect.any(String),
      finishedAt: expect.any(String),
      by: 'ada@example.com',
      reason: '',
      filters: ['reportType', 'siteId', 'browserName.any', 'from', 'to'],
      reports: { 'csp-violation': matching },
      sightings: 0,
    },
  ])
  expect((await done(...words, ...browsers)).response).toEqual({ dryRun: false, reports: {} })
})

test('an interrupted deletion is completed by the next; all types with the dimension go, csp-hash too', async () => {
  // With two retentions no count can be subtracted.
  const given = { ...span, retentionDays: 60, reportTypes: storedTypeNames, tenantId, siteIds }
  await api.insertReports(randomReports({ ...given, count: 60, seed: seed + 2 }))
  const id = crypto.randomUUID()
  const filters = ['documentHost']
  const where = sql`tenant_id = ${uuid(tenantId)} AND cityHash64(id) % 7 = 0`
  const doomed = await count(`tenant_id = '${tenantId}' AND cityHash64(id) % 7 = 0`)
  const started = {
    tenant_id: tenantId,
    id,
    filters,
    counts: {},
    part_ids: [],
    started_at: toClickHouseTime(new Date()),
  }
  await insertRows(database.writer, 'report_deletions', [started])
  let steps = 0
  const onStep = async () => {
    if (++steps === 9) throw new Error('cut off')
  }
  const removal = { tenantId, id, where, onStep }
  await expect(removeReports([database.writer], removal)).rejects.toThrow('cut off')
  const [[host] = []] = await queryRows(
    database.writer,
    `SELECT document_host FROM reports WHERE tenant_id = '${tenantId}' AND report_type = 'csp-hash' AND match(document_host, '^[a-z.]+$') LIMIT 1`,
  )
  const ofHost = await count(`tenant_id = '${tenantId}' AND document_host = '${host}'`)
  const words = ['reports', 'delete', '--tenant', tenantId, '--document-host', String(host), '--purge']
  const { response, stderr } = await done(...words)
  expect(stderr).toMatch(/^Completing the deletion of /m)
  expect(sum(response.reports)).toBe(ofHost)
  expect(response.reports['csp-hash']).toBeGreaterThan(0)
  await expectMended()
  const { deletions } = (await done('reports', 'deletions', '--tenant', tenantId)).response
  const completed = deletions.find((one: { id: string }) => one.id === id)
  expect(completed).toMatchObject({ finishedAt: expect.any(String), filters })
  expect(sum(completed.reports)).toBe(doomed)
})

test('deleted reports of an import are no lost ones, and are not stored by the same import again', async () => {
  const siteId = (await api.createSites(tenantId, 1))[0] as string
  const url = 'https://imported.test/a?token=9f3a0ffee'
  const body = [{ type: 'crash', age: 0, url, body: { reason: 'oom' } }]
  const stdin = `${JSON.stringify({ receivedAt: new Date(now - 1_000).toISOString(), site: siteId, body })}\n`
  const environment = { CLICKHOUSE_URL: database.writeUrl }
  const imported = () => cli(['import', 'reports', '--tenant', tenantId, '-'], { environment, stdin })
  await imported()
  const words = ['reports', 'delete', '--tenant', tenantId, '--document-url-contains', 'token=9f3a0ffee']
  expect((await done(...words)).response.reports).toEqual({ crash: 1 })
  const inParts = "SELECT count() FROM reports WHERE document_url LIKE '%9f3a0ffee%' SETTINGS apply_deleted_mask = 0"
  expect(await queryRows(database.writer, inParts)).toEqual([[1]])
  // Rows that an earlier deletion hid are purged too.
  expect((await done(...words, '--purge')).response.reports).toEqual({})
  expect(await queryRows(database.writer, inParts)).toEqual([[0]])
  expect(await database.writer.read(listLostParts(new Date(now - dayMs)))).toEqual([])
  expect((await imported()).code).toBe(0)
  expect(await count(`site_id = '${siteId}'`)).toBe(0)
})

test('a filter that no report has, and a command without any, delete nothing', async () => {
  const words = ['reports', 'delete', '--tenant', tenantId]
  expect(await refused(...words)).toBe('Use at least one filter, such as --site, --type or --from')
  expect(await refused(...words, '--type', 'crash', '--directive', 'img-src')).toMatch(
    /^directive: crash reports have no directive; they have /,
  )
  expect(await refused(...words, '--directive', 'img-src', '--effective-policy', 'a')).toBe(
    'no report type has directive and effectivePolicy',
  )
  expect(await refused(...words, '--disposition', 'enforced')).toMatch(/^disposition must be one of .*not "enforced"$/)
})

test('a deletion waits for reports in the logs of collectors, and names a collector that does not store them', async () => {
  const oldestAt = new Date(now - 2_000)
  const log = { id: crypto.randomUUID(), host: 'edge-7' }
  await insertRows(database.writer, 'collector_logs', [{ ...log, oldest_at: toClickHouseTime(oldestAt) }])
  const words = ['reports', 'delete', '--tenant', tenantId, '--type', 'crash', '--page', 'https://none.test/']
  const { code, stdout, stderr } = await run([...words, '--to', new Date(now - 1_000).toISOString()])
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toMatch(/^Waiting for the collector on edge-7$/m)
  expect(stderr).toContain(`Reports from ${oldestAt.toISOString()} on wait in the log of the collector on edge-7: fix `)
  // The window ends before the oldest report that waits.
  expect((await done(...words, '--to', oldestAt.toISOString())).response.reports).toEqual({})
  await insertRows(database.writer, 'collector_logs', [{ ...log, oldest_at: null }])
  expect((await done(...words)).response.reports).toEqual({})
})
