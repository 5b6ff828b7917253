import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { type Cluster, openCluster } from '../../../clickhouse/cluster/open-cluster.ts'
import { placeOfTenant } from '../../../clickhouse/cluster/places.ts'
import { randomReports } from '../../../fixtures/reports.ts'
import { dayMs } from '../../../schema/durations.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import { cli } from '../../support/cli.ts'
import { done, makeTenant, refused } from '../../support/cli-commands.ts'
import { queryRows } from '../../support/database.ts'

let cluster: Cluster
let api: TestApi

beforeAll(async () => {
  cluster = await openCluster(inject('servers').writeUrl)
  api = await startApi()
})
afterAll(() => Promise.all([cluster?.close(), api?.close()]))

const reportsOn = async (shard: number, tenantId: string) =>
  Number(
    (
      await queryRows(
        cluster.shards[shard - 1]?.database as (typeof cluster)['client'],
        `SELECT count() FROM reports WHERE tenant_id = '${tenantId}'`,
      )
    )[0]?.[0],
  )

async function fill(tenantId: string, count = 300) {
  const siteIds = [await api.createSite(tenantId)]
  const span = { from: new Date(Date.now() - 5 * dayMs), to: new Date() }
  await api.insertReports(randomReports({ count, seed: 1, tenantId, siteIds, ...span, retentionDays: 90 }))
}

describe('a new tenant', () => {
  test.each([1, 2])('lies on the shard %d that is asked for, whole, from its first report on', async (shard) => {
    const id = await makeTenant('--shard', String(shard))
    await fill(id)
    expect(await reportsOn(shard, id)).toBe(300)
    expect(await reportsOn(3 - shard, id)).toBe(0)
    const { response } = await done('tenants', 'place', '--tenant', id)
    expect(response).toMatchObject({ id, shard, rows: { [3 - shard]: 0 } })
    expect(response.rows[shard]).toBeGreaterThan(300)
  })

  test('lies on the shard with the fewest tenants where none is named', async () => {
    const counts = async () =>
      (await queryRows(
        cluster.client,
        `SELECT countIf(place = 1), countIf(place = 2)
         FROM (SELECT dictGetOrDefault('tenant_place', 'shard', tuple(id), 1) AS place FROM (SELECT DISTINCT id FROM tenants))`,
      )) as [[number, number]]
    for (let made = 0; made < 3; made++) {
      const [[first, second]] = await counts()
      expect(await placeOfTenant(cluster, await makeTenant())).toBe(first <= second ? 1 : 2)
    }
  })

  test('is refused on a shard that is not there', async () => {
    const words = ['tenants', 'create', '--name', 'x', '--plan', 'free', '--shard', '3']
    expect(await refused(...words)).toBe('There is no shard 3; there are 1, 2')
  })
})

describe('on a cluster', () => {
  test.each([1, 2])('a request of a tenant on shard %d is explained with its indexes', async (shard) => {
    const id = await makeTenant('--shard', String(shard))
    await fill(id)
    const words = ['explain', '--tenant', id, '--analyze', '/v1/reports/count?directive=img-src']
    const { code, stdout } = await cli(words, { environment: { CLICKHOUSE_URL: inject('servers').writeUrl } })
    expect(code).toBe(0)
    expect(stdout).toContain(`-- shard ${shard}\n`)
    expect(stdout).toMatch(
      /-- reports_per_hour_by_cube_value: Reports by type, value of one low-cardinality dimension, and hour\n/,
    )
    expect(stdout).toMatch(/-- .*ReadFromMergeTree/)
    expect(stdout).toMatch(/-- PrimaryKey/)
  })

  test('rollups of every shard are checked, and rebuilt', async () => {
    const ids = [await makeTenant('--shard', '1'), await makeTenant('--shard', '2')]
    for (const id of ids) await fill(id)
    for (const { database } of cluster.shards) await database.command('TRUNCATE TABLE reports_per_day_by_issue')
    const environment = { CLICKHOUSE_URL: inject('servers').writeUrl }
    for (const id of ids) expect((await cli(['rollups', 'check', '--tenant', id], { environment })).code).toBe(1)
    const { response } = await done('rollups', 'rebuild', '--table', 'reports_per_day_by_issue')
    expect(response).toMatchObject({ different: 0 })
  })

  test('a tenant is deleted from its shard', async () => {
    const id = await makeTenant('--shard', '2')
    await fill(id)
    const { response } = await done('tenants', 'delete', '--tenant', id, '--confirm', 'Zoë\'s "shop" 🛍 \\ ltd')
    expect(response.deleted).toMatchObject({ reports: 300 })
    expect(await reportsOn(2, id)).toBe(0)
  })

  test('doctor looks at every node', async () => {
    const { response } = await done('doctor', '--json')
    expect(response.ok).toBe(true)
    const found = JSON.stringify(response.checks)
    for (const { origin } of cluster.nodes) expect(found).toContain(`26.7.2.1 at ${origin}`)
  })
})
