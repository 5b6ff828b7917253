import fc from 'fast-check'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { checkRollups } from '../../../clickhouse/rollups/check-rollups.ts'
import { type DimensionName, fieldDimensions } from '../../../schema/dimensions.ts'
import { dimensionsOf, storedTypeNames } from '../../../schema/report-types.ts'
import { oracleIssues } from '../../oracles/issue-oracle.ts'
import {
  now,
  type OracleWorld,
  retentionFrom,
  runs,
  startOracleWorld,
  windowParams,
  windows,
} from '../../oracles/oracle-world.ts'
import { matching, oracleGrouped, oracleHistogram, oracleList, oracleTypes } from '../../oracles/report-oracle.ts'
import { commandsOn } from '../../support/cli-commands.ts'
import { connectPatiently } from '../../support/patience.ts'
import { queryText } from '../../support/query-text.ts'
import { readPages } from '../../support/read-pages.ts'
import { type ReportRequest, reportRequest } from '../../support/report-requests.ts'

let world: OracleWorld

const { done } = commandsOn(() => inject('servers').writeUrl, { untilForgotten: async () => {} })

beforeAll(async () => {
  world = await startOracleWorld({ count: 3_000, siteCount: 3 })
})

afterAll(() => world?.api.close())

/** Requests whose filters are flags; a third without a type, for every type that has the dimensions. */
const requests = (rows = world.rows) =>
  fc
    .record({ one: reportRequest(rows, retentionFrom, now, 62), isOfAnyType: fc.nat(2).map((drawn) => drawn === 0) })
    .filter(({ one }) => !('siteId.any' in one.filters || 'siteId.not' in one.filters))

interface Requested {
  readonly one: ReportRequest
  readonly isOfAnyType: boolean
}

function select({ one, isOfAnyType }: Requested, rows = world.rows) {
  const { filters, window } = one
  const dimensions = Object.keys(filters).map((parameter) => parameter.split('.')[0] as DimensionName)
  const isOfDimensions = dimensions.every((dimension) => (fieldDimensions as readonly string[]).includes(dimension))
  const types =
    isOfAnyType && isOfDimensions && dimensions.length > 0
      ? storedTypeNames.filter((type) => dimensions.every((dimension) => dimensionsOf(type).includes(dimension)))
      : undefined
  const { from, to } = windowParams(window)
  const flags = Object.entries(filters).flatMap(([parameter, values]) => {
    const flag = parameter === 'siteId' ? 'site' : parameter.replace('.', '-').replaceAll(/[A-Z]/g, '-$&').toLowerCase()
    return [values].flat().map((value) => `--${flag}=${value}`)
  })
  const words = ['--from', from, '--to', to, ...(types ? [] : ['--type', one.reportType]), ...flags]
  const found = (types ?? [one.reportType]).flatMap((type) => matching(rows, window, type, filters))
  return { found, words: ['reports', 'delete', '--tenant', world.tenantId, ...words] }
}

function byType(rows: readonly { readonly reportType: string }[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { reportType } of rows) counts[reportType] = (counts[reportType] ?? 0) + 1
  return counts
}

test('--dry-run counts the reports that the oracle finds by random filters', async () => {
  await fc.assert(
    fc.asyncProperty(requests(), async (requested) => {
      const { found, words } = select(requested)
      expect((await done(...words, '--dry-run')).response).toEqual({ dryRun: true, reports: byType(found) })
    }),
    runs(40),
  )
})

test('after a deletion by random filters every operation has the oracle’s response for the other reports', async () => {
  let { rows } = world
  const isLarge = (requested: Requested) => select(requested, rows).found.length >= 20
  await fc.assert(
    fc.asyncProperty(requests().filter(isLarge), async (requested) => {
      const { found, words } = select(requested, rows)
      expect((await done(...words)).response).toEqual({ dryRun: false, reports: byType(found) })
      const gone = new Set(found)
      rows = rows.filter((row) => !gone.has(row))
    }),
    runs(2),
  )
  const database = connectPatiently(inject('servers').writeUrl)
  expect((await checkRollups(database, { tenantId: world.tenantId })).differences).toEqual([])
  await database.close()
  await expectResponses()

  async function expectResponses() {
    const { api, key } = world
    const send = async (path: string, params: Parameters<typeof queryText>[0]) =>
      (await api.get(`${path}?${queryText(params)}`, { key })).body
    await fc.assert(
      fc.asyncProperty(reportRequest(world.rows, retentionFrom, now, 7), async ({ window, groupBy, ...one }) => {
        const { reportType } = one
        const params = { reportType, ...windowParams(window) }
        const histogram = oracleHistogram(rows, window, reportType, {}, '1d')
        expect((await send('/v1/reports/histogram', { ...params, bucketSize: '1d' })).data).toEqual(histogram)
        const grouped = oracleGrouped(rows, window, retentionFrom, reportType, {}, groupBy, 100)
        expect((await send('/v1/reports/grouped', { ...params, groupBy: groupBy.join(), limit: 100 })).data).toEqual(
          grouped,
        )
        const { data } = await readPages(api, key, '/v1/reports', { ...params, limit: 100 })
        expect(data).toEqual(oracleList(rows, window, reportType, {}))
      }),
      runs(20),
    )
    await fc.assert(
      fc.asyncProperty(windows, async (window) => {
        expect((await send('/v1/reports/types', windowParams(window))).data).toEqual(oracleTypes(rows, window, {}))
        const issues = await readPages(api, key, '/v1/issues', { ...windowParams(window), limit: 200 })
        expect(issues.data).toEqual(oracleIssues(rows, window, { others: {} }))
      }),
      runs(10),
    )
  }
})
