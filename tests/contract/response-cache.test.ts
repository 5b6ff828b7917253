import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { Endpoint } from '../../app/pipeline/endpoint.ts'
import { shardDatabase } from '../../clickhouse/cluster/on-cluster.ts'
import { listRollups, rawTable } from '../../clickhouse/rollups/list-rollups.ts'
import { untilVersionsExpire } from '../../clickhouse/rollups/until-versions-expire.ts'
import { aReport, randomReports } from '../../fixtures/reports.ts'
import { nodeUrls } from '../../queries/clickhouse/nodes.ts'
import { render } from '../../queries/sql/sql.ts'
import { minuteMs } from '../../schema/durations.ts'
import type { ApiResponse } from '../support/api.ts'
import {
  type ContractApi,
  createWorlds,
  firstOfEach,
  operations,
  siteRequest,
  startContractApi,
  type TestWorld,
  worldReports,
} from '../support/contract.ts'
import { connectPatiently } from '../support/patience.ts'
import { tablesRead } from '../support/tenant-scope.ts'

/** Now stands still, as it does for a caller who names the window, until a test moves it. */
let now = new Date()

let api: ContractApi
let world: TestWorld
let other: TestWorld
let moved: TestWorld
let reportTables: Set<string>

/** Statements of one request after the other, but who sends them. */
const requested: { name: string; tables: readonly string[] }[] = []

beforeAll(async () => {
  api = await startContractApi({
    now: () => now,
    onRead({ name, statement }) {
      if (name === 'findKey' || name === 'findSites') return
      requested.push({ name, tables: tablesRead(render(statement).text).map(({ table }) => table) })
    },
  })
  ;[world, other, moved] = await createWorlds(api, [1, 2, 4])
  // On a cluster the rollups lie in the shards' database.
  const [node = '', another] = nodeUrls(inject('servers').readUrl)
  const reader = connectPatiently(another ? shardDatabase(node) : node)
  reportTables = new Set([rawTable, ...(await listRollups(reader)).map(({ table }) => table)])
  await reader.close()
})
afterAll(() => api.close())

/** In no order, because statements run concurrently. */
const names = () => requested.map(({ name }) => name).sort()

async function send(endpoint: Endpoint, { key, siteIds }: TestWorld = world, from = api): Promise<ApiResponse> {
  requested.length = 0
  return from.request(endpoint, { ...siteRequest(endpoint, siteIds[0]), key })
}

const cachedOperations = operations.all.filter(([, endpoint]) => endpoint.cache)

test.each(cachedOperations)('%s reads the tenant’s reports alone', async (_, endpoint) => {
  await send(endpoint)
  const loaded = requested.filter(({ name }) => name !== 'listImportSteps')
  expect(loaded.length).toBeGreaterThan(0)
  for (const { tables } of loaded) for (const table of tables) expect(reportTables, table).toContain(table)
})

// One middleware caches what a handler returns, by these properties of its operation.
const cached = firstOfEach(cachedOperations, ({ page, window }) => [page !== undefined, window])
const notCached = firstOfEach(
  operations.all.filter(([, endpoint]) => !endpoint.cache),
  ({ scope, mediaTypes, window }) => [scope, mediaTypes, window],
)

describe.each(cached)('%s', (_, endpoint) => {
  test('reads no more than the import version for a repeated request, and shares nothing with another tenant', async () => {
    const responses = [await send(endpoint), await send(endpoint)]
    responses.push(await send(endpoint))
    expect(names().filter((name) => name !== 'listImportSteps')).toEqual([])
    for (const { text, headers } of responses) {
      expect(text).toBe(responses[0]?.text)
      expect(headers.get('ETag')).toBe(responses[0]?.headers.get('ETag'))
      expect(['0', '1']).toContain(headers.get('Age'))
    }
    const foreign = await send(endpoint, other)
    expect(names().filter((name) => name !== 'listImportSteps')).not.toEqual([])
    expect(foreign.text).not.toBe(responses[0]?.text)
  })
})

test.each(notCached)('%s is read from the database for every request', async (_, endpoint) => {
  await send(endpoint)
  const first = names()
  for (let times = 0; times < 3; times++) {
    await send(endpoint)
    expect(names()).toEqual(first)
  }
})

describe('after an import', () => {
  const before = new Map<string, ApiResponse>()
  let fresh: ContractApi

  beforeAll(async () => {
    for (const [name, endpoint] of cached) {
      for (let times = 0; times < 3; times++) before.set(name, await send(endpoint))
    }
    await api.insertReports(worldReports(world, 3))
    await untilVersionsExpire()
    fresh = await startContractApi({ now: () => now })
  })
  afterAll(() => fresh.close())

  test.each(cached)('%s responds with the new reports', async (name, endpoint) => {
    const after = await send(endpoint)
    expect(after.text).not.toBe(before.get(name)?.text)
    expect(after.text).toBe((await send(endpoint, world, fresh)).text)
  })
})

describe('a minute later', () => {
  const before = new Map<string, ApiResponse>()
  let fresh: ContractApi

  beforeAll(async () => {
    const { tenantId, siteIds } = moved
    const [from, to] = [now, new Date(now.getTime() + minuteMs)]
    const random = { seed: 4, tenantId, siteIds, from, to, count: 400 }
    await api.insertReports([
      ...randomReports(random),
      ...siteIds.map((siteId) => aReport({ tenantId, siteId, receivedAt: from.getTime() })),
    ])
    await untilVersionsExpire()
    for (const [name, endpoint] of cached) {
      for (let times = 0; times < 3; times++) before.set(name, await send(endpoint, moved))
    }
    now = to
    fresh = await startContractApi({ now: () => now })
  })
  afterAll(() => fresh.close())

  test.each(cached)('%s responds up to the new now', async (name, endpoint) => {
    const after = await send(endpoint, moved)
    expect(after.text).not.toBe(before.get(name)?.text)
    expect(after.text).toBe((await send(endpoint, moved, fresh)).text)
  })
})
