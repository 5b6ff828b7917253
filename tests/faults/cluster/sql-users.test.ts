import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { assignShard } from '../../../clickhouse/cluster/tenant-shards.ts'
import { rowPolicies, userName } from '../../../clickhouse/sql-users.ts'
import { randomReports } from '../../../fixtures/reports.ts'
import { dayMs } from '../../../schema/durations.ts'
import { startCluster, type TestCluster } from '../../support/cluster.ts'
import { sendRequest } from '../../support/engine.ts'
import { sqlUserPassword, sqlUserXml } from '../../support/sql-user-engine.ts'
import { createTenantWriter } from '../../support/tenants.ts'

/** A tenant on each shard, and one more beside the first. */
const [own, onOtherShard, besideOwn] = [randomUUID(), randomUUID(), randomUUID()]
const user = userName(own, 'grafana')
let cluster: TestCluster

beforeAll(async () => {
  // The databases of the cluster of the tests are default and default_shard.
  const policies = rowPolicies
    .filter(({ database }) => database !== 'default')
    .map((policy) => ({ ...policy, database: policy.database.replace(/^reports/, 'default') }))
  cluster = await startCluster({ usersXml: sqlUserXml(user, policies) })
  const { client } = cluster.cluster
  const store = createTenantWriter(client)
  const window = { from: new Date(Date.now() - dayMs), to: new Date() }
  for (const [tenantId, shard, count] of [
    [own, 1, 31],
    [onOtherShard, 2, 700],
    [besideOwn, 1, 900],
  ] as const) {
    await assignShard(cluster.cluster, tenantId, shard)
    await client.command(`INSERT INTO tenants (id, name, plan) VALUES ('${tenantId}', '${count} reports', 'business')`)
    const siteIds = [await store.createSite(tenantId)]
    await store.insertReports(randomReports({ count, seed: 1, tenantId, siteIds, ...window, retentionDays: 30 }))
  }
})

afterAll(() => cluster?.end())

test('a SQL user reads only its tenant at every node of a cluster', async () => {
  for (const { url } of cluster.engines) {
    const headers = { Authorization: `Basic ${btoa(`${user}:${sqlUserPassword}`)}` }
    const send = async (body: string) =>
      (await sendRequest(`${url}/?database=default`, { method: 'POST', body, headers })).text
    const all = 'SELECT tenant_id, tenant_name FROM'
    for (const view of ['reports_named', 'reports_per_hour_named', 'issues_per_day_named']) {
      expect({ view, rows: await send(`${all} ${view} GROUP BY ALL`) }).toEqual({ view, rows: `${own}\t31 reports\n` })
    }
    for (const table of ['default.reports', 'default_shard.reports', 'default.reports_by_time', 'default.sites']) {
      const tenants = await send(`SELECT DISTINCT tenant_id FROM ${table}`)
      expect({ table, tenants: tenants.trim().split('\n').filter(Boolean) }).toEqual({
        table,
        tenants: table === 'default_shard.reports' && url !== cluster.engines[0]?.url ? [] : [own],
      })
    }
    expect((await send('SELECT id FROM default.reports')).trim().split('\n')).toHaveLength(31)
    expect(await send('SELECT count() FROM default.reports')).toBe('31\n')
    expect(await send('SELECT id FROM tenants')).toBe(`${own}\n`)
    for (const table of ['remote', 'cluster']) {
      expect(await send(`SELECT * FROM ${table}('default_shard', default_shard.reports)`)).toContain('ACCESS_DENIED')
    }
  }
})

test('the analyst reads several rows of each shard at every node', async () => {
  const statement = 'SELECT DISTINCT tenant_name FROM reports_named ORDER BY tenant_name'
  for (const { userUrls } of cluster.engines) {
    const { origin, pathname, username, password } = new URL(userUrls.analyst)
    const headers = { Authorization: `Basic ${btoa(`${username}:${password}`)}` }
    const url = `${origin}/?database=${pathname.slice(1)}`
    const { text } = await sendRequest(url, { method: 'POST', body: statement, headers })
    expect(text.trim().split('\n').sort()).toEqual(['31 reports', '700 reports', '900 reports'])
  }
})
