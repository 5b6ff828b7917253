import { inject } from 'vitest'
import type { z } from 'zod'
import { endpoints } from '../../app/endpoints/all.ts'
import type { Endpoint } from '../../app/pipeline/endpoint.ts'
import { aReport, randomReports } from '../../fixtures/reports.ts'
import { scriptId } from '../../schema/rules/scripts/script-id.ts'
import { type ApiResponse, type RequestOptions, startApi, type TestApi, type TestApiOptions } from './api.ts'
import { firstHalfOfMd5 } from './md5.ts'
import { createResponseCheck } from './response-check.ts'
import type { TestKey } from './tenants.ts'
import { importWorldRecords, worldScanIds } from './world-records.ts'

type Values = Readonly<Record<string, string>>

/** Query parameters by name; an array repeats its parameter, undefined omits it. */
export type Query = Readonly<Record<string, string | readonly string[] | undefined>>

export interface OperationRequest extends RequestOptions {
  readonly query?: Query
  /** In the path, or in the query where the operation requires it there. */
  readonly siteId?: string
  readonly path?: Values
}

export interface ContractApi extends TestApi {
  /** Requests an operation and validates the response against its OpenAPI description. */
  request(endpoint: Endpoint, options: OperationRequest): Promise<ApiResponse>
}

export async function startContractApi(options: TestApiOptions = {}): Promise<ContractApi> {
  const api = await startApi(options)
  const checkResponse = createResponseCheck((await api.get('/openapi.json')).text)
  return {
    ...api,
    async request(endpoint, options) {
      const response = await api.get(urlOf(endpoint, options), options)
      checkResponse({ path: endpoint.path, ...response })
      return response
    },
  }
}

/** An operation's path and query, with its required values and no others. */
export function urlOf(
  endpoint: Endpoint,
  { query, siteId, path: others }: Pick<OperationRequest, 'query' | 'siteId' | 'path'>,
): string {
  const values = { ...pathOf(endpoint, siteId ?? unknownId), ...others }
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? unknownId))
  const entries = Object.entries({ ...requiredQuery(endpoint, siteId ?? unknownId), ...query })
  const pairs = entries.flatMap(([name, value]) =>
    [value ?? []].flat().map((one) => `${encodeURIComponent(name)}=${encodeURIComponent(one)}`),
  )
  return pairs.length > 0 ? `${path}?${pairs.join('&')}` : path
}

export const pathOf = (endpoint: Endpoint, siteId: string): Values =>
  requiredValues(endpoint, endpoint.pathParams, siteId)

export const requiredQuery = (endpoint: Endpoint, siteId: string): Values =>
  requiredValues(endpoint, endpoint.query, siteId)

/** Ids that the world has in the site, and of any other required parameter its example. */
function requiredValues(endpoint: Endpoint, fields: Endpoint['query'], siteId: string): Values {
  const ids = worldIds(siteId)
  const required = Object.entries(fields).filter(([, field]) => !field.safeParse(undefined).success)
  return Object.fromEntries(required.map(([name, field]) => [name, ids[name] ?? exampleOf(endpoint, name, field)]))
}

function exampleOf({ name }: Endpoint, parameter: string, field: z.ZodType): string {
  const [example] = (field.meta()?.examples ?? []) as unknown[]
  if (example === undefined) throw new Error(`${name} requires ${parameter}, which has no example: .meta({ examples })`)
  return String(example)
}

/** Ids of the records that every site of a world has, by parameter. */
const worldIds = (siteId: string): Values => ({
  siteId,
  issueId: worldIssueId(siteId),
  scriptId: scriptId(siteId, aSighting().scriptUrl),
  ...worldScanIds(siteId),
})

export const unknownId = '00000000-0000-4000-8000-000000000000'

/** Status of an operation for an empty site: 404 where the path names a record. */
export const emptyStatus = ({ pathParams }: Endpoint): 200 | 404 =>
  Object.keys(pathParams).some((name) => name !== 'siteId' && name in worldIds(unknownId)) ? 404 : 200

/** A tenant with a key, two sites with reports of the last two days, and six without. */
export interface TestWorld {
  readonly tenantId: string
  readonly siteIds: readonly [string, string]
  readonly key: TestKey
}

export async function createWorld(api: TestApi, seed = 1): Promise<TestWorld> {
  const [world] = await createWorlds(api, [seed])
  return world as TestWorld
}

/** A world of each seed; their reports are one insert, which takes 44 ms of processor time at least. */
export async function createWorlds<const Seeds extends readonly number[]>(
  api: TestApi,
  seeds: Seeds,
): Promise<{ readonly [Index in keyof Seeds]: TestWorld }> {
  const worlds = await Promise.all(
    seeds.map(async (seed) => {
      const tenantId = await api.createTenant()
      const [one = '', two = ''] = await api.createSites(tenantId, 8)
      return { seed, tenantId, siteIds: [one, two] as const, key: await api.createKey(tenantId) }
    }),
  )
  await Promise.all([
    api.insertReports(worlds.flatMap((world) => worldReports(world, world.seed))),
    ...worlds.map((world) => importWorldRecords(api, world, world.seed)),
  ])
  return worlds as unknown as { readonly [Index in keyof Seeds]: TestWorld }
}

/** Of each API's database. */
const shared = new Map<string, Promise<readonly [TestWorld, TestWorld]>>()

/** Two worlds of the same reports that no test writes to, made once for all files of a worker. */
export function sharedWorlds(api: TestApi): Promise<readonly [TestWorld, TestWorld]> {
  const { writeUrl } = inject('servers')
  const worlds = shared.get(writeUrl) ?? createWorlds(api, [1, 1])
  shared.set(writeUrl, worlds)
  return worlds
}

export const aSighting = (given: Parameters<typeof aReport>[0] = {}) =>
  aReport({ reportType: 'csp-hash', scriptUrl: 'https://shop.example.test/assets/app.js', ...given })

/** Random reports, and in each site some of one issue, on three pages, and one of the same script. */
export function worldReports({ tenantId, siteIds }: Pick<TestWorld, 'tenantId' | 'siteIds'>, seed: number) {
  const to = new Date(Math.floor(Date.now() / 60_000) * 60_000)
  const from = new Date(to.getTime() - 2 * 86_400_000)
  const known = siteIds.flatMap((siteId) => [
    ...[1, 2, 3, 4, 5].map((hours) => {
      const page = hours > 3 ? { documentUrl: `https://shop.example.test/checkout/${hours}` } : {}
      return aReport({ tenantId, siteId, receivedAt: to.getTime() - hours * 3_600_000 - seed, ...page })
    }),
    aSighting({ tenantId, siteId, receivedAt: to.getTime() - 3_600_000 - seed }),
  ])
  const random = { seed, tenantId, siteIds, from, to }
  const sightings = randomReports({ ...random, count: 60, reportTypes: ['csp-hash'] })
  return [...randomReports({ ...random, count: 400 }), ...sightings, ...known]
}

/** The issue of `aReport`, which every site of a world has. */
function worldIssueId(siteId: string): string {
  const { reportType, issueSubject, issueHost } = aReport()
  const key = [siteId.toLowerCase(), reportType, issueSubject, issueHost].join('\n')
  return firstHalfOfMd5(key)
}

const named = (chosen: readonly Endpoint[]) => chosen.map((endpoint) => [endpoint.name, endpoint] as const)

/** Operations by a property, each with its name for the test's title. */
export const operations = {
  all: named(endpoints),
  /** 403 on plans without API access. */
  withPlan: named(endpoints.filter(({ alwaysWorks }) => alwaysWorks !== true)),
  withSite: named(endpoints.filter(({ pathParams, query }) => 'siteId' in { ...pathParams, ...query })),
  withMonitoredPage: named(endpoints.filter(({ pathParams, query }) => 'pageId' in { ...pathParams, ...query })),
  withWindow: named(endpoints.filter(({ window }) => typeof window === 'object')),
  withPage: named(endpoints.filter(({ page }) => page !== undefined)),
}

/** The first operation of each value of a property: for a rule that a middleware decides by that property alone. */
export function firstOfEach(
  among: typeof operations.all,
  property: (endpoint: Endpoint) => unknown,
): typeof operations.all {
  const found = new Map(among.toReversed().map((one) => [JSON.stringify(property(one[1])), one]))
  return among.filter((one) => found.get(JSON.stringify(property(one[1]))) === one)
}

/** Options that name a site, in the query too where the operation has that filter. */
export function siteRequest({ query }: Endpoint, siteId: string): { siteId: string; query: Query } {
  return { siteId, query: 'siteId' in query ? { siteId } : {} }
}
