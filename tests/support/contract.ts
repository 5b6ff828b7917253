import { endpoints } from '../../app/endpoints/all.ts'
import type { Endpoint } from '../../app/pipeline/endpoint.ts'
import { aReport, randomReports } from '../../fixtures/reports.ts'
import { scriptId } from '../../queries/rules/scripts/script-id.ts'
import { type Answered, type Asking, startApi, type TestApi, type TestApiOptions } from './api.ts'
import { firstHalfOfMd5 } from './md5.ts'
import { createReplyCheck } from './reply-check.ts'
import type { TestKey } from './tenants.ts'
import { importWorldRecords, worldScanIds } from './world-records.ts'

/** What an operation needs to be asked at all, beside a site: one row for each operation that needs something. */
const needed: Readonly<Record<string, { readonly path?: (siteId: string) => Values; readonly query?: Values }>> = {
  'reports.grouped': { query: { groupBy: 'browserName' } },
  'issues.reports': { path: (siteId) => ({ issueId: worldIssueId(siteId) }) },
  'scripts.get': { path: (siteId) => ({ scriptId: scriptId(siteId, aSighting().scriptUrl) }) },
  'scans.list': { path: worldScanIds },
  'scans.get': { path: worldScanIds },
}

type Values = Readonly<Record<string, string>>

/** Query parameters by name; an array is sent as repeated parameters, undefined is left out. */
export type Query = Readonly<Record<string, string | readonly string[] | undefined>>

/** How an operation is asked. */
export interface OperationAsking extends Asking {
  readonly query?: Query
  /** Goes to the path where the operation names a site there, and to the query where it must be named there. */
  readonly siteId?: string
  /** Values of the path instead of those of the site. */
  readonly path?: Values
}

/** The API with the operations of its list. */
export interface ContractApi extends TestApi {
  /** Asks an operation and holds the answer, whatever it is, against its own description. */
  ask(endpoint: Endpoint, asking: OperationAsking): Promise<Answered>
}

export async function startContractApi(options: TestApiOptions = {}): Promise<ContractApi> {
  const api = await startApi(options)
  const checkReply = createReplyCheck((await api.get('/openapi.json')).body)
  return {
    ...api,
    async ask(endpoint, asking) {
      const answered = await api.get(urlOf(endpoint, asking), asking)
      checkReply({ path: endpoint.path, ...answered })
      return answered
    },
  }
}

/** The path and query of an operation, asked for as little as it takes. */
export function urlOf(
  endpoint: Endpoint,
  { query, siteId, path: others }: Pick<OperationAsking, 'query' | 'siteId' | 'path'>,
): string {
  const values = { ...pathOf(endpoint, siteId ?? unknownId), ...others }
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? unknownId))
  const site = needsSite(endpoint) && { siteId: siteId ?? unknownId }
  const sent = Object.entries({ ...needed[endpoint.name]?.query, ...site, ...query })
  const pairs = sent.flatMap(([name, value]) =>
    [value ?? []].flat().map((one) => `${encodeURIComponent(name)}=${encodeURIComponent(one)}`),
  )
  return pairs.length > 0 ? `${path}?${pairs.join('&')}` : path
}

/** Whether an operation refuses a query that names no site. */
const needsSite = ({ query }: Endpoint) => query.siteId?.safeParse(undefined).success === false

/** The values of an operation's path in a site of a world. */
export function pathOf({ name, pathParams }: Endpoint, siteId: string): Values {
  const values: Values = { siteId, ...needed[name]?.path?.(siteId) }
  return Object.fromEntries(Object.entries(values).filter(([parameter]) => parameter in pathParams))
}

/** An id that nothing has. */
export const unknownId = '00000000-0000-4000-8000-000000000000'

/** What an operation answers where there is a site and nothing else. */
export const emptyStatus = ({ pathParams }: Endpoint): 200 | 404 =>
  Object.keys(pathParams).some((name) => name !== 'siteId') ? 404 : 200

/** A tenant with two sites, a key and reports of the last two days. */
export interface TestWorld {
  readonly tenantId: string
  readonly siteIds: readonly [string, string]
  readonly key: TestKey
}

/** Makes a world that no other test shares. The same seed gives reports of the same shape. */
export async function createWorld(api: TestApi, seed = 1): Promise<TestWorld> {
  const tenantId = await api.createTenant()
  const siteIds = [await api.createSite(tenantId), await api.createSite(tenantId)] as const
  const key = await api.createKey(tenantId)
  await api.insertReports(worldReports({ tenantId, siteIds }, seed))
  await importWorldRecords(api, { tenantId, siteIds }, seed)
  return { tenantId, siteIds, key }
}

/** A browser's report of a script and its hash. */
export const aSighting = (given: Parameters<typeof aReport>[0] = {}) =>
  aReport({ reportType: 'csp-hash', scriptUrl: 'https://shop.example.test/assets/app.js', ...given })

/** Random reports, and in each site some of one issue and one of the same script. */
export function worldReports({ tenantId, siteIds }: Pick<TestWorld, 'tenantId' | 'siteIds'>, seed: number) {
  const to = new Date(Math.floor(Date.now() / 60_000) * 60_000)
  const from = new Date(to.getTime() - 2 * 86_400_000)
  const known = siteIds.flatMap((siteId) => [
    ...[1, 2, 3, 4].map((hours) => aReport({ tenantId, siteId, receivedAt: to.getTime() - hours * 3_600_000 - seed })),
    aSighting({ tenantId, siteId, receivedAt: to.getTime() - 3_600_000 - seed }),
  ])
  const random = { seed, tenantId, siteIds, from, to }
  const sightings = randomReports({ ...random, count: 60, reportTypes: ['csp-hash'] })
  return [...randomReports({ ...random, count: 400 }), ...sightings, ...known]
}

/** The issue that every world's site has: that of `aReport`. */
function worldIssueId(siteId: string): string {
  const { reportType, issueSubject, issueHost } = aReport()
  const key = [siteId.toLowerCase(), reportType, issueSubject, issueHost].join('\n')
  return firstHalfOfMd5(key)
}

const named = (chosen: readonly Endpoint[]) => chosen.map((endpoint) => [endpoint.name, endpoint] as const)

/** Operations by a property, each with its name for the test's title. */
export const operations = {
  all: named(endpoints),
  /** Refused on plans without API access. */
  withPlan: named(endpoints.filter(({ allPlans }) => allPlans !== true)),
  withSite: named(endpoints.filter(({ pathParams, query }) => 'siteId' in { ...pathParams, ...query })),
  withMonitoredPage: named(endpoints.filter(({ pathParams, query }) => 'pageId' in { ...pathParams, ...query })),
  withWindow: named(endpoints.filter(({ window }) => typeof window === 'object')),
  withPage: named(endpoints.filter(({ page }) => page !== undefined)),
}

/** Asks with a site, wherever the operation takes one. */
export function ofSite({ query }: Endpoint, siteId: string): { siteId: string; query: Query } {
  return { siteId, query: 'siteId' in query ? { siteId } : {} }
}
