import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Endpoint } from '../../app/pipeline/endpoint.ts'
import { untilVersionsExpire } from '../../clickhouse/rollups/until-versions-expire.ts'
import { render } from '../../queries/sql/sql.ts'
import { type DimensionName, dimensionNames } from '../../schema/dimensions.ts'
import { minuteMs } from '../../schema/durations.ts'
import { dimensionsOf, reportTypeNames } from '../../schema/report-types.ts'
import type { StoredReport } from '../../schema/stored-report.ts'
import { oracleIssueId } from '../oracles/issue-oracle.ts'
import { dimensionValue } from '../oracles/oracle-parts.ts'
import type { ApiResponse } from '../support/api.ts'
import {
  type ContractApi,
  emptyStatus,
  operations,
  type Query,
  startContractApi,
  type TestWorld,
  worldReports,
} from '../support/contract.ts'
import { runsAgain } from '../support/number-of-cases.ts'
import { tablesRead } from '../support/tenant-scope.ts'
import { importWorldRecords } from '../support/world-records.ts'

/** Tenants whose reports look alike in every column but those of the tenant and the site. */
let api: ContractApi
let first: TestWorld
let second: TestWorld
let reports: StoredReport[]

/** Responses to the first tenant before the second has data. */
const before = new Map<string, string[]>()

/** Every statement that was sent, by the name of its query. */
const statements = new Map<string, string>()

/** Time does not move, so that a repeated request is the same request; all records are stored before it. */
const to = new Date(Date.now() + minuteMs).toISOString()

async function emptyWorld(): Promise<TestWorld> {
  const tenantId = await api.createTenant()
  const [one = '', two = ''] = await api.createSites(tenantId, 2)
  return { tenantId, siteIds: [one, two], key: await api.createKey(tenantId) }
}

const start = (isSent = (_name: string) => true) =>
  startContractApi({
    now: () => new Date(to),
    onRead({ name, statement }) {
      const { text } = render(statement)
      statements.set(text, name)
      return isSent(name)
    },
  })

beforeAll(async () => {
  api = await start()
  first = await emptyWorld()
  second = await emptyWorld()
  reports = worldReports(first, 7)
  await api.insertReports(reports)
  await importWorldRecords(api, first, 7)
  for (const [name, endpoint] of operations.all) before.set(name, await requestAll(endpoint, first))
})
afterAll(() => api.close())

/** Each type that an operation takes; none where the path names a record, which has a type of its own. */
function ofTypes(endpoint: Endpoint): Query[] {
  if (emptyStatus(endpoint) === 404) return []
  const types = reportTypeNames.filter((type) => endpoint.query.reportType?.safeParse(type).success)
  return types.map((reportType) => ({ reportType }))
}

/** Queries of an operation: without a type, and of the last type that it takes. */
const queriesOf = (endpoint: Endpoint): Query[] => [{}, ...ofTypes(endpoint).slice(-1)]

/** Each type, each filter by a value that some report has, and the filters that the contract lacks. */
function filtersOf(endpoint: Endpoint): Query[] {
  if (emptyStatus(endpoint) === 404) return []
  const filters = dimensionNames.filter((dimension) => dimension !== 'siteId' && dimension in endpoint.query)
  return [...ofTypes(endpoint), ...filters.map((dimension) => filterBy(dimension, endpoint)), ...additionsOf(endpoint)]
}

/** Filters that the contract lacks: of several values, of a part, of noise, of an issue and of issues. */
function additionsOf({ query }: Endpoint): Query[] {
  const [siteId] = first.siteIds
  const issue = reports.find((one) => one.reportType === 'csp-violation' && one.siteId === siteId)
  const additions: Query[] = [
    { 'browserName.any': ['Chrome', ''], 'osName.not': 'Windows' },
    { 'documentHost.contains': 'example', noise: 'exclude' },
    { 'siteId.any': siteId, noise: 'only' },
    { issueId: issue && oracleIssueId(issue), ...('siteId' in query && { siteId }) },
    { 'confidence.any': ['high', 'low'], 'targetHost.not': 'inline' },
    { 'subject.contains': 'src', noise: 'exclude' },
  ]
  return additions.filter((names) => Object.keys(names).every((name) => name in query))
}

function filterBy(dimension: DimensionName, { query }: Endpoint): Query {
  const report = reports.find((one) => carries(one, dimension) && /^[ -[\]-~]+$/.test(dimensionValue(one, dimension)))
  if (!report) throw new Error(`No report has a ${dimension} to filter by`)
  return {
    ...('reportType' in query && { reportType: report.reportType }),
    [dimension]: dimensionValue(report, dimension),
  }
}

/** False where the stored type is no report type. */
const carries = ({ reportType }: StoredReport, dimension: DimensionName) =>
  reportTypeNames.some((type) => type === reportType && dimensionsOf(type).includes(dimension))

function requestAll(endpoint: Endpoint, { key, siteIds }: TestWorld, from = api): Promise<string[]> {
  const responses = queriesOf(endpoint).map(async (query) => {
    const window = typeof endpoint.window === 'object' ? { to } : {}
    const { status, text } = await from.request(endpoint, { key, siteId: siteIds[0], query: { ...query, ...window } })
    expect(status).toBe(200)
    return text
  })
  return Promise.all(responses)
}

describe('a tenant without data beside one with it', () => {
  const answering = operations.withWindow.filter(([, endpoint]) => emptyStatus(endpoint) === 200)
  let empty: TestWorld

  beforeAll(async () => {
    empty = await emptyWorld()
  })

  test.each(answering)('%s responds to it as if it were alone', async (name, endpoint) => {
    const other = await requestAll(endpoint, second)
    expect(other).toEqual(await requestAll(endpoint, empty))
    expect(other).not.toEqual(before.get(name))
  })
})

describe('a tenant with data', () => {
  /** Without a cached response. */
  let fresh: ContractApi
  const count = ({ key }: TestWorld) => api.get('/v1/reports/count', { key })
  let empty: ApiResponse

  beforeAll(async () => {
    for (let times = 0; times < 3; times++) empty = await count(second)
    await api.insertReports([...worldReports(second, 7), ...worldReports(second, 8)])
    await importWorldRecords(api, second, 7)
    await importWorldRecords(api, second, 8)
    await untilVersionsExpire()
    fresh = await start()
  })
  afterAll(() => fresh?.close())

  test('gets a response with its reports where one without them was cached', async () => {
    expect(empty.body.data.reportCount).toBe(0)
    expect((await count(second)).body.data.reportCount).toBeGreaterThan(0)
  })

  test.each(operations.all)(
    '%s responds the same when another tenant gets the same reports and more',
    async (name, endpoint) => {
      expect(await requestAll(endpoint, first, fresh)).toEqual(before.get(name))
    },
  )

  const isNamedInEverySelect = async () => {
    const unsent = await start((name) => name.startsWith('find'))
    for (const [, endpoint] of operations.all) {
      for (const query of filtersOf(endpoint)) {
        const { status } = await unsent.request(endpoint, { key: first.key, siteId: first.siteIds[0], query })
        // 500 of a summary that has no row.
        expect([200, 500], JSON.stringify(query)).toContain(status)
      }
    }
    await unsent.close()
    expect(statements.size).toBeGreaterThan(operations.all.length)
    for (const [text, query] of statements) {
      const tables = tablesRead(text)
      expect(tables.length, query).toBeGreaterThan(0)
      for (const { table, isScoped } of tables) expect(isScoped, `${query}, ${table}`).toBe(true)
    }
  }
  // A cluster is sent the same statements.
  if (!runsAgain) test('is named in every SELECT from a table, by any filter', isNamedInEverySelect)

  test.each(operations.withPage)('%s reads no row of it through a cursor made for its rows', async (_, endpoint) => {
    const page = async (world: TestWorld, query: Query) => {
      const { body } = await api.request(endpoint, { key: world.key, siteId: world.siteIds[0], query })
      return body as { data: object[]; nextCursor: string }
    }
    const open = (cursor: string): unknown[] => JSON.parse(Buffer.from(cursor, 'base64url').toString())
    const until = typeof endpoint.window === 'object' ? { to } : {}
    const window = { ...until, limit: '1' }
    const [its, others] = [await page(first, window), await page(second, window)]
    const [version, fingerprint] = open(others.nextCursor)
    const [, , ...state] = open(its.nextCursor)
    const forged = Buffer.from(JSON.stringify([version, fingerprint, ...state])).toString('base64url')
    const { data } = await page(second, { cursor: forged, limit: '100' })
    const own = await page(second, { ...until, limit: '200' })
    expect(data.length).toBeGreaterThan(0)
    for (const item of data) expect(own.data).toContainEqual(item)
  })
})
