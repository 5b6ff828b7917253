import { mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Installation } from '../../../app/cli/doctor/check.ts'
import { parts } from '../../../app/cli/doctor/check-parts.ts'
import { makeSiteToken } from '../../../app/collector/site-address.ts'
import { checkRollups } from '../../../clickhouse/rollups/check-rollups.ts'
import { seeded } from '../../../fixtures/seeded.ts'
import { startTestCollector, type TestCollector } from '../../support/collector.ts'
import { queryRows } from '../../support/database.ts'
import { killEngine, startTestEngine, type TestEngine } from '../../support/engine.ts'
import { startMigratedEngine } from '../../support/migrated-engine.ts'
import { connectPatiently } from '../../support/patience.ts'
import { cutPower, takeSnapshot } from '../../support/power-cut.ts'
import { createTenantWriter } from '../../support/tenants.ts'

/** Of ClickHouse's machine, and of the collector's too; `COLLECTOR_CUTS=50` for more. */
const wantedCuts = Number(process.env.COLLECTOR_CUTS ?? 2)
const seed = Number(process.env.COLLECTOR_CUTS_SEED ?? 1)

const bodies = {
  'csp-violation': (url: string) => ({
    documentURL: url,
    blockedURL: 'https://cdn.example/a.js',
    effectiveDirective: 'script-src',
  }),
  'network-error': () => ({
    type: 'tcp.timed_out',
    phase: 'connection',
    server_ip: '192.0.2.1',
    method: 'GET',
    protocol: 'h2',
  }),
  crash: () => ({ reason: 'oom', stack: 'at https://shop.example/a.js:1:1' }),
  deprecation: () => ({ id: 'unload', message: 'is deprecated', anticipatedRemoval: '2030-01-01T00:00:00Z' }),
}
const types = Object.keys(bodies) as (keyof typeof bodies)[]

test('power cuts of ClickHouse’s machine, some of the collector’s too: every post that was 204 is stored once', async () => {
  const random = seeded(seed)
  const folder = await mkdtemp(join(tmpdir(), 'cuts-'))
  let engine: TestEngine = await startMigratedEngine()
  const { dataDir, port } = engine
  const database = connectPatiently(engine.userUrls.writer)
  let boot = 1_000
  const startCollector = () =>
    startTestCollector(
      { CLICKHOUSE_URL: engine.userUrls.writer, DATA_DIR: folder, SITE_POSTS_PER_MINUTE: '1000000' },
      {
        readBoot: async () => {
          // As ClickHouse has it: not known while it does not respond.
          await database.command('SELECT 1')
          return String(boot)
        },
      },
    )
  const writer = createTenantWriter(database)
  const [tenantId, token] = [await writer.createTenant(), makeSiteToken()]
  await writer.createSite(tenantId, { hosts: ['shop.example'], token })
  let collector: TestCollector | undefined = await startCollector()

  const accepted = new Set<string>()
  let sent = 0
  let isOver = false
  async function send(): Promise<void> {
    while (!isOver) {
      const url = `https://shop.example/${sent++}`
      const type = random.pick(types)
      const response = await collector
        ?.post(token, [{ type, url, age: 1, body: bodies[type](url) }])
        .catch(() => undefined)
      if (response?.status === 204) accepted.add(url)
      await sleep(response?.status === 204 ? 20 : 100)
    }
  }
  async function someAccepted(): Promise<void> {
    const before = accepted.size
    await expect.poll(() => accepted.size).toBeGreaterThan(before + 10)
  }

  try {
    const senders = Array.from({ length: 10 }, send)
    for (let cut = 0; cut < wantedCuts; cut++) {
      const store = join(dataDir, 'clickhouse', 'store')
      const snapshots: string[] = []
      for (let moment = 0; moment < 3; moment++) {
        await someAccepted()
        snapshots.push(join(dataDir, `moment-${moment}`))
        await takeSnapshot(store, join(dataDir, `moment-${moment}`))
      }
      await someAccepted()
      await killEngine(engine)
      await cutPower(store, snapshots as [string, ...string[]], random)
      if (cut % 2 === 1) {
        const ended = collector as TestCollector
        collector = undefined
        await ended.close()
        // Names that were not on the disk yet.
        const stored = join(folder, 'collector-stored')
        for (const name of (await readdir(stored)).filter((name) => name !== 'boot' && random.chance(0.5))) {
          await rename(join(stored, name), join(folder, 'collector', name))
        }
      }
      for (const moment of snapshots) await rm(moment, { recursive: true })
      boot += 1_000
      engine = await startTestEngine({ dataDir, port })
      collector ??= await startCollector()
      await someAccepted()
    }
    isOver = true
    await Promise.all(senders)

    const rows = await queryRows(
      database,
      `SELECT if(request_url = '', document_url, request_url) AS url, count() FROM reports WHERE tenant_id = '${tenantId}' GROUP BY url`,
    )
    const stored = new Map(rows.map(([url, count]) => [url, count]))
    expect([...accepted].filter((url) => stored.get(url) !== 1)).toEqual([])
    expect(rows.filter(([, count]) => count !== 1)).toEqual([])
    const { checked, differences } = await checkRollups(database)
    expect(differences).toEqual([])
    expect(checked).toBeGreaterThan(0)
    const detached = await queryRows(
      database,
      "SELECT count() FROM system.detached_parts WHERE startsWith(reason, 'broken')",
    )
    const installation = { database: async () => ({ writer: database, url: engine.url }) } as unknown as Installation
    if (detached[0]?.[0] !== 0) await expect(parts.run(installation)).rejects.toThrow('broken parts are detached')
  } finally {
    isOver = true
    await collector?.close()
    await database.close()
    await engine.end()
    await rm(folder, { recursive: true })
  }
})
