import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { explainRequest } from '../../../app/api/explain-request.ts'
import type { Database } from '../../../queries/clickhouse/database.ts'
import { withLiterals } from '../../../queries/sql/literal-sql.ts'
import { sql, text, texts, uint, uuids } from '../../../queries/sql/sql.ts'
import { findTenant, type Tenant } from '../../../queries/tenants/tenants.ts'
import { minuteMs } from '../../../schema/durations.ts'
import { cli } from '../../support/cli.ts'
import {
  type ContractApi,
  createWorld,
  operations,
  startContractApi,
  type TestWorld,
  urlOf,
} from '../../support/contract.ts'
import { connectPatiently } from '../../support/patience.ts'

/** After all records are stored. */
const moment = new Date(Date.now() + minuteMs)
const now = () => moment

let api: ContractApi
let world: TestWorld
let reader: Database
let tenant: Tenant

beforeAll(async () => {
  api = await startContractApi({ now })
  world = await createWorld(api)
  reader = connectPatiently(inject('servers').readUrl)
  ;[tenant] = (await reader.read(findTenant(world.tenantId))) as [Tenant]
})
afterAll(() => Promise.all([api?.close(), reader?.close()]))

describe.each(operations.all.filter(([name]) => name !== 'me' && name !== 'reports.export'))('%s', (_, endpoint) => {
  test('is explained by statements that return, run alone, what the API read', async () => {
    const to = new Date(Date.now() - 1_000).toISOString()
    const query = typeof endpoint.window === 'object' ? { to } : {}
    const target = urlOf(endpoint, { siteId: world.siteIds[0], query })
    const { status, body, queries } = await explainRequest(reader, tenant, target, now)
    expect(status).toBe(200)
    expect(JSON.parse(body)).toEqual((await api.get(target, { key: world.key })).body)
    expect(queries.length).toBeGreaterThan(0)
    for (const { query, rows, cost } of queries) {
      expect(cost?.elapsedMs).toBeGreaterThan(0)
      const alone = { strings: [withLiterals(query.statement)], values: [] }
      expect(await reader.read({ ...query, statement: alone }), query.name).toEqual(rows)
    }
  })
})

test.each([
  '/v1/reports/count?directive.any=img-src&directive.any=&documentHost.contains=example&noise=exclude',
  '/v1/reports/grouped?groupBy=browserName&blockedHost.not=inline&siteId.any=SITE',
  '/v1/reports/values?dimension=siteId&contains=-4&browserName.not=&noise=exclude',
  '/v1/issues?confidence.any=high&confidence.any=low&targetHost.contains=.test&noise=only',
])(
  '%s, with filters that the contract lacks, is explained by statements that return what the API read',
  async (path) => {
    const target = path.replace('SITE', world.siteIds[0])
    const { status, body, queries } = await explainRequest(reader, tenant, target, now)
    expect(status).toBe(200)
    expect(JSON.parse(body)).toEqual((await api.get(target, { key: world.key })).body)
    for (const { query, rows } of queries) {
      const alone = { strings: [withLiterals(query.statement)], values: [] }
      expect(await reader.read({ ...query, statement: alone }), query.name).toEqual(rows)
    }
  },
)

test.each([
  '/v1/reports/histogram?last=P1D',
  '/v1/reports/histogram?last=P2D&groupBy=blockedHost&top=3&timeZone=Asia/Kolkata',
  '/v1/reports/grouped?last=P2D&groupBy=directive&total=true',
  '/v1/reports/types?last=P2D&series=true',
])('%s is explained as the API reads it', async (target) => {
  const { status, body } = await explainRequest(reader, tenant, target, now)
  expect(status).toBe(200)
  expect(JSON.parse(body)).toEqual((await api.get(target, { key: world.key })).body)
})

test('hostile values are literals, whatever they hold', async () => {
  const values = ["'; DROP TABLE reports; --", '\\', "\\'", 'two\nlines', '\ttab', '', '{p0:String}', '😀']
  const alone = withLiterals(
    sql`SELECT ${text(values.join('|'))} AS one, ${texts(values)} AS many, ${uint(7)} AS number`,
  )
  const stream = await reader.stream(alone, 'JSONEachRow')
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  expect(JSON.parse(Buffer.concat(chunks).toString())).toEqual({ one: values.join('|'), many: values, number: 7 })
  expect(withLiterals(sql`SELECT ${uuids([world.tenantId])}`)).toBe(`SELECT CAST(['${world.tenantId}'], 'Array(UUID)')`)
})

describe('the command', () => {
  const explain = (...args: string[]) =>
    cli(['explain', '--tenant', world.tenantId, ...args], {
      environment: { CLICKHOUSE_URL: inject('servers').writeUrl },
    })

  test('prints the statements, the table that answers and what was read', async () => {
    const { code, stdout, stderr } = await explain('/v1/reports/count?directive=img-src')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^-- countReports, pool query: 1 rows; \d+ rows and \d+ bytes read in [\d.]+ ms$/m)
    expect(stdout).toContain('-- reports_per_hour_by_cube_value: ')
    expect(stdout).toContain("value = 'img-src'")
    expect(stderr).toContain('200, ')
  })

  test('prints what each index left with --analyze', async () => {
    const { stdout } = await explain('--analyze', '/v1/reports/count')
    expect(stdout).toMatch(/^-- PrimaryKey$/m)
    expect(stdout).toMatch(/^-- Granules: \d+\/\d+$/m)
  })

  test('a refused request exits 2 with the API’s words', async () => {
    const { code, stderr } = await explain('/v1/reports/count?nonsense=1')
    expect(code).toBe(2)
    expect(stderr).toContain('nonsense')
  })
})
