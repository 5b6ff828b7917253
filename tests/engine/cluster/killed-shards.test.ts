import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeSiteToken } from '../../../app/collector/site-address.ts'
import { assignShard } from '../../../clickhouse/cluster/tenant-shards.ts'
import { checkRollups } from '../../../clickhouse/rollups/check-rollups.ts'
import { startCluster, type TestCluster } from '../../support/cluster.ts'
import { startTestCollector } from '../../support/collector.ts'
import { reportRequest, send, storedOf, temporaryFolders } from '../../support/collector-posts.ts'
import { createSlowView, type SlowView } from '../../support/slow-view.ts'
import { createTenantWriter } from '../../support/tenants.ts'

let own: TestCluster
let view: SlowView
const token = makeSiteToken()
const folders = temporaryFolders()

beforeAll(async () => {
  own = await startCluster()
  const writer = createTenantWriter(own.cluster.client)
  const tenantId = await writer.createTenant()
  await assignShard(own.cluster, tenantId, 2)
  await writer.createSite(tenantId, { hosts: ['shop.example'], token })
  view = await createSlowView(own.shardDatabase(2))
})
afterAll(async () => {
  await own?.end()
  await folders.remove()
})

test('a shard killed between a block’s part and its views: the block is completed, and never set aside', async () => {
  const folder = await folders.make()
  // The first server takes the insert, and sends it on.
  const collector = await startTestCollector({
    CLICKHOUSE_URL: own.writeUrl,
    CLICKHOUSE_CLUSTER: '1',
    DATA_DIR: folder,
  })
  const post = (page: string) => send(() => fetch(`${collector.url}/r/${token}`, reportRequest(page)))
  const { page, posted } = await view.halfStored(post)
  process.kill(own.engines[1]?.pid() as number, 'SIGKILL')
  // 503 where the shard is not back before the retries end: the block is completed all the same.
  expect([204, 503]).toContain((await posted).status)
  const blocks = async () => (await readdir(join(folder, 'collector', 'shard-2'))).sort()
  await expect.poll(blocks).toEqual([])
  expect([await storedOf(own.cluster.client, page), await view.count(page)]).toEqual([[1], 1])
  for (const { database } of own.cluster.shards) expect(await checkRollups(database)).toMatchObject({ different: 0 })
  await collector.close()
})
