import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { issuesReports } from '../../app/endpoints/issues/reports.ts'
import type { Rejection } from '../../app/import/ndjson/rejected-line.ts'
import { importInto } from '../../app/import/reports/import-into.ts'
import { importReports } from '../../app/import/reports/import-reports.ts'
import type { ImportResult } from '../../app/import/reports/import-tally.ts'
import { migrate } from '../../clickhouse/migrate.ts'
import { checkRollups } from '../../clickhouse/rollups/check-rollups.ts'
import { type ContractApi, startContractApi } from '../support/contract.ts'
import { createDatabase, queryRows, type TestDatabase } from '../support/database.ts'
import type { TestKey } from '../support/tenants.ts'
import { madeUpType } from './made-up-type.ts'

const hour = 3_600_000
const post = (age: number, ...bodies: readonly object[]) =>
  `${JSON.stringify({
    receivedAt: new Date(Date.now() - age).toISOString(),
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    body: bodies.map((body) => ({ type: 'made-up', url: 'https://shop.example.test/cart#top', age: 0, body })),
  })}\n`
const reportBody = {
  made_up_thing: 'teleport',
  sourceFile: 'https://cdn.example.test/app.js?v=1',
  disposition: 'Enforce',
  lineNumber: 12,
  message: 'Teleporting is made up',
}
const lines = [
  post(30 * hour, reportBody, { ...reportBody, made_up_thing: 'levitate' }),
  post(3 * hour, reportBody, { ...reportBody, madeUpPhase: 'draft' }),
  post(2 * hour, { ...reportBody, disposition: 'reporting', lineNumber: 0 }),
]

let api: ContractApi
let db: TestDatabase
let tenantId: string
let siteId: string
let key: TestKey
let result: ImportResult
const rejections: Rejection[] = []

beforeAll(async () => {
  db = await createDatabase()
  await migrate(db.writer)
  api = await startContractApi({ readUrl: db.readUrl, writeUrl: db.writeUrl })
  tenantId = await api.createTenant()
  siteId = await api.createSite(tenantId, { hosts: ['shop.example.test'] })
  key = await api.createKey(tenantId)
  result = await importReports({
    source: Readable.from(lines),
    ...importInto(db.writer, tenantId),
    sites: [{ id: siteId, hosts: ['shop.example.test'] }],
    retentionDays: 90,
    onReject: (rejection) => void rejections.push(rejection),
  })
})

afterAll(async () => {
  await api?.close()
  await db?.drop()
})

const get = async (path: string) => {
  const { status, body } = await api.get(path, { key })
  return { status, body }
}

test('a made-up report type is imported by its mapping, in any spelling, except what its rule excludes', () => {
  expect(rejections).toEqual([])
  expect(result).toMatchObject({ posts: 3, reports: 5, stored: 4, skipped: { 'made-up': 1 }, rejected: 0 })
})

test('a made-up report type is listed with its own fields', async () => {
  const { status, body } = await get('/v1/reports?reportType=made-up')
  expect(status).toBe(200)
  expect(body.data).toHaveLength(4)
  expect(body.data[0]).toMatchObject({
    reportType: 'made-up',
    siteId,
    documentUrl: 'https://shop.example.test/cart',
    browserName: 'Firefox',
    feature: 'teleport',
    sourceFile: 'https://cdn.example.test/app.js',
    disposition: 'report',
    lineNumber: null,
    message: 'Teleporting is made up',
    directive: null,
    blockedHost: null,
    columnNumber: null,
  })
  expect(body.data[1]).toMatchObject({ disposition: 'enforce', lineNumber: 12 })
})

describe('the filters of a made-up report type', () => {
  test.each([
    ['', 4],
    ['&feature=teleport', 3],
    ['&sourceFile=https://cdn.example.test/app.js&disposition=report', 1],
    ['&feature=levitate&browserName=Firefox', 1],
    ['&documentHost=elsewhere.example.test', 0],
  ])('select its reports: %s', async (filter, reportCount) => {
    expect(await get(`/v1/reports/count?reportType=made-up${filter}`)).toMatchObject({
      status: 200,
      body: { data: { reportCount } },
    })
  })

  test.each(['/v1/reports?', '/v1/reports/count?', '/v1/reports/histogram?', '/v1/reports/grouped?groupBy=feature&'])(
    'reject a dimension that the type does not have: %s',
    async (path) => {
      const { status, body } = await get(`${path}reportType=made-up&directive=img-src`)
      expect(status).toBe(400)
      expect(body.error.message).toMatch(/^directive: made-up reports have no directive; they have siteId, .*feature/)
    },
  )
})

test.each([
  [
    'feature',
    [
      [['teleport'], 3],
      [['levitate'], 1],
    ],
  ],
  [
    'disposition,osName',
    [
      [['enforce', 'Linux'], 3],
      [['report', 'Linux'], 1],
    ],
  ],
  ['sourceFile', [[['https://cdn.example.test/app.js'], 4]]],
])('a made-up report type is grouped by %s', async (groupBy, expected) => {
  const { status, body } = await get(`/v1/reports/grouped?reportType=made-up&groupBy=${groupBy}`)
  expect(status).toBe(200)
  const rows = body.data.map((row: { values: string[]; reportCount: number }) => [row.values, row.reportCount])
  expect(rows).toEqual(expected)
})

test('a made-up report type is not grouped by a dimension that it does not have', async () => {
  const { status, body } = await get('/v1/reports/grouped?reportType=made-up&groupBy=directive')
  expect(status).toBe(400)
  expect(body.error.message).toMatch(/^groupBy: made-up reports have no directive/)
})

test('a made-up report type is counted beside the others', async () => {
  const { body } = await get('/v1/reports/types')
  expect(body.data).toContainEqual({ reportType: 'made-up', estimatedReportCount: 4, sampled: false })
})

test('a made-up report type is in the histogram', async () => {
  const { body } = await get('/v1/reports/histogram?reportType=made-up')
  const counts = body.data.buckets.map(({ reportCount }: { reportCount: number }) => reportCount)
  expect(counts.reduce((sum: number, one: number) => sum + one, 0)).toBe(4)
})

test('a made-up report type makes issues by its rule, whose reports are listed', async () => {
  const { status, body } = await get(`/v1/sites/${siteId}/issues?reportType=made-up`)
  expect(status).toBe(200)
  expect(body.data.map(({ id: _, ...rest }: { id: string }) => rest)).toMatchObject([
    { reportType: 'made-up', reportCount: 3 },
    { reportType: 'made-up', reportCount: 1 },
  ])
  const listed = await api.request(issuesReports, {
    key,
    siteId,
    path: { siteId, issueId: body.data[0].id },
    query: { reportType: 'made-up' },
  })
  expect(listed.status).toBe(200)
  expect(listed.body.data).toHaveLength(3)
})

test('a made-up report type is listed as a browser change', async () => {
  const { status, body } = await get('/v1/browser-changes?reportType=made-up')
  expect(status).toBe(200)
  expect(body.data).toMatchObject([
    { reportType: 'made-up', feature: 'teleport', message: reportBody.message, lineNumber: null },
    { reportType: 'made-up', feature: 'levitate' },
  ])
})

test('a made-up report type is described in OpenAPI, in parameters and responses', async () => {
  const { body } = await api.get('/openapi.json')
  type Parameter = { name: string; description: string; schema: { enum?: string[] } }
  const parameters = (path: string) =>
    new Map<string, Parameter>(body.paths[path].get.parameters.map((one: Parameter) => [one.name, one]))
  for (const path of ['/v1/reports', '/v1/reports/grouped', '/v1/browser-changes']) {
    expect(parameters(path).get('reportType')?.schema.enum, path).toContain('made-up')
  }
  expect(parameters('/v1/reports').get('feature')?.description).toContain('made-up')
  expect(parameters('/v1/reports').get('directive')?.description).not.toContain('made-up')
  expect(JSON.stringify(body.components.schemas.Report)).toContain('made-up')
})

test('the rollups count a made-up report type by the dimensions that it has, and by no others', async () => {
  const [[counted] = []] = await queryRows(
    db.writer,
    "SELECT sum(report_count) FROM reports_by_time WHERE grain = 'hour' AND report_type = 'made-up'",
  )
  expect(counted).toBe(4)
  const dimensions = await queryRows(
    db.writer,
    `SELECT DISTINCT dimension FROM (
       SELECT dimension FROM reports_per_hour_by_value_time_ordered WHERE report_type = 'made-up'
       UNION ALL SELECT dimension FROM reports_per_hour_by_cube_value WHERE report_type = 'made-up'
     ) ORDER BY dimension`,
  )
  expect(dimensions.flat()).toEqual(
    ['siteId', 'documentHost', 'browserName', 'osName', 'deviceType', ...madeUpType.dimensions].toSorted(),
  )
  expect(await checkRollups(db.writer)).toMatchObject({ different: 0 })
})
