import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkEveryShard } from '../../../clickhouse/rollups/check-every-shard.ts'
import { commandsOn } from '../../support/cli-commands.ts'
import { startCluster, type TestCluster } from '../../support/cluster.ts'
import { queryRows } from '../../support/database.ts'
import { complete, posts, reportsIn } from '../../support/posts-file.ts'
import { createTenantWriter } from '../../support/tenants.ts'

let own: TestCluster
const folder = mkdtempSync(join(tmpdir(), 'lost-imports-'))
const { run, done, makeTenant } = commandsOn(() => own.writeUrl)

beforeAll(async () => {
  own = await startCluster()
})
afterAll(async () => {
  await own?.end()
  rmSync(folder, { recursive: true })
})

test('reports that the second shard lost are named by doctor, and stored by the same import', async () => {
  const tenantId = await makeTenant('--shard', '2', '--retention-days', '3650')
  await createTenantWriter(own.cluster.client).createSite(tenantId, { hosts: ['shop.test'] })
  const path = join(folder, 'posts.ndjson')
  writeFileSync(path, posts(0, 60))
  const words = ['import', 'reports', '--tenant', tenantId, path]
  const reports = reportsIn(0, 60)
  expect((await done(...words)).response).toMatchObject({ stored: reports })

  const shard = own.shardDatabase(2)
  await shard.command('ALTER TABLE reports DROP PARTITION 202609')
  const count = () =>
    queryRows(shard, `SELECT count() AS rows, uniqExact(id) FROM reports WHERE tenant_id = '${tenantId}'`)
  const [[left] = []] = await count()
  const { stdout } = await run(['doctor', '--json'])
  expect(JSON.parse(stdout).checks.at(-1)).toMatchObject({
    check: 'imports',
    ok: false,
    found: expect.stringContaining(`${reports - Number(left)} of the batch`),
  })

  expect((await done(...words)).response).toMatchObject({ stored: reports, restored: reports - Number(left) })
  const { rows, ids } = complete(reports)
  expect(await count()).toEqual([[rows, ids]])
  expect(await checkEveryShard([own.shardDatabase(1), shard])).toMatchObject({ different: 0 })
})
