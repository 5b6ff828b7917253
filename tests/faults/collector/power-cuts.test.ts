import { mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import type { Installation } from '../../../app/cli/doctor/check.ts'
import { parts } from '../../../app/cli/doctor/check-parts.ts'
import { makeSiteToken } from '../../../app/collector/site-address.ts'
import { checkRollups } from '../../../clickhouse/rollups/check-rollups.ts'
import { untilVersionsExpire } from '../../../clickhouse/rollups/until-versions-expire.ts'
import { seeded } from '../../../fixtures/seeded.ts'
import { minuteMs } from '../../../schema/durations.ts'
import { startApi } from '../../support/api.ts'
import { startTestCollector, type TestCollector } from '../../support/collector.ts'
import { versionOf } from '../../support/collector-posts.ts'
import { queryRows } from '../../support/database.ts'
import { killEngine, startTestEngine, type TestEngine } from '../../support/engine.ts'
import { startMigratedEngine } from '../../support/migrated-engine.ts'
import { connectPatiently } from '../../support/patience.ts'
import { cutPower, takeSnapshot } from '../../support/power-cut.ts'
import { requestViews, storedViews } from '../../support/report-views.ts'

/** Of ClickHouse's machine, at every other of the collector's too; each is some 12 s of processor time. `COLLECTOR_CUTS=50` for more. */
const wantedCuts = Number(process.env.COLLECTOR_CUTS ?? 2)
const seed = Number(process.env.COLLECTOR_CUTS_SEED ?? 1)

const random = seeded(seed)

const bodies = {
  'csp-violation': (url: string) => ({
    documentURL: url,
    blockedURL: 'https://cdn.example/a.js',
    effectiveDirective: random.pick(['script-src', 'img-src']),
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

test('power cuts of ClickHouse’s machine, some of the collector’s too: every post that was 204 is stored once, and the API counts it', {
  timeout: wantedCuts * 10 * minuteMs,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'cuts-'))
  let engine: TestEngine = await startMigratedEngine()
  const { dataDir, port } = engine
  const database = connectPatiently(engine.userUrls.writer)
  let boot = 1_000
  let restores = 0
  const log = pino(
    {},
    { write: (line: string) => void (line.includes("ClickHouse's machine restarted") && restores++) },
  )
  const startCollector = () =>
    startTestCollector(
      { CLICKHOUSE_URL: engine.userUrls.writer, DATA_DIR: folder, SITE_POSTS_PER_MINUTE: '1000000' },
      {
        log,
        waits: false,
        readBoot: async () => {
          // As ClickHouse has it: not known while it does not respond.
          await database.command('SELECT 1')
          return String(boot)
        },
      },
    )
  const api = await startApi({ readUrl: engine.userUrls.reader, writeUrl: engine.userUrls.writer })
  /** The posts of one go on; those of the other stop at each cut until the API has been asked. */
  const sites = await Promise.all(
    [false, true].map(async (stops) => {
      const [tenantId, token] = [await api.createTenant(), makeSiteToken()]
      await api.createSite(tenantId, { hosts: ['shop.example'], token })
      return { tenantId, token, stops, key: await api.createKey(tenantId), accepted: new Set<string>() }
    }),
  )
  const stopping = sites[1] as (typeof sites)[number]
  const accepted = () => sites.flatMap((site) => [...site.accepted])
  let collector: TestCollector | undefined = await startCollector()

  let sent = 0
  let isCut = false
  /** The log is not empty while posts go on. */
  let isDraining = false
  let isOver = false
  async function send({ token, stops, accepted }: (typeof sites)[number]): Promise<void> {
    while (!isOver) {
      if (isDraining || (stops && isCut)) {
        await sleep(20)
        continue
      }
      const url = `https://shop.example/${sent++}`
      const type = random.pick(types)
      const response = await collector
        ?.post(token, [{ type, url, age: 1, body: bodies[type](url) }])
        .catch(() => undefined)
      if (response?.status === 204) accepted.add(url)
      await sleep(100)
    }
  }
  async function someAccepted(): Promise<void> {
    const before = accepted().length
    await expect.poll(() => accepted().length).toBeGreaterThan(before + 4)
  }

  /** How often each URL is stored. */
  async function storedUrls(): Promise<Map<unknown, unknown>> {
    const url = "if(request_url = '', document_url, request_url)"
    return new Map(
      (await queryRows(database, `SELECT ${url}, count() FROM reports GROUP BY 1`)) as [unknown, unknown][],
    )
  }
  async function expectAcceptedOnce(urls: Iterable<string>): Promise<void> {
    const stored = await storedUrls()
    expect([...urls].filter((url) => stored.get(url) !== 1)).toEqual([])
    expect([...stored].filter(([, count]) => count !== 1)).toEqual([])
  }

  const window = {
    from: new Date(Date.now() - 10 * minuteMs).toISOString(),
    to: new Date(Date.now() + 120 * minuteMs).toISOString(),
  }
  /** Before each cut and after it, so that responses of then are cached. */
  async function poll(): Promise<void> {
    while (!isOver) {
      await requestViews(api, stopping.key, window).catch(() => undefined)
      await sleep(250)
    }
  }

  try {
    const running = [poll(), ...Array.from({ length: 5 }, () => sites.map(send)).flat()]
    for (let cut = 0; cut < wantedCuts; cut++) {
      const store = join(dataDir, 'clickhouse', 'store')
      const snapshots: string[] = []
      for (let moment = 0; moment < 3; moment++) {
        await someAccepted()
        snapshots.push(join(dataDir, `moment-${moment}`))
        await takeSnapshot(store, join(dataDir, `moment-${moment}`))
      }
      await someAccepted()
      isCut = true
      await killEngine(engine)
      const ended = cut % 2 === 1 ? collector : undefined
      if (ended) collector = undefined
      await Promise.all([cutPower(store, snapshots as [string, ...string[]], random), ended?.close()])
      if (ended) {
        // Names of the last seconds that were not on the disk yet: file systems write them within 30 s.
        const log = join(folder, 'collector')
        for (const name of (await readdir(log)).filter((name) => name.endsWith('.sent'))) {
          const isLate = Date.now() - (await stat(join(log, name))).mtimeMs < 30_000
          if (isLate && random.chance(0.5)) await rename(join(log, name), join(log, name.replace('.sent', '.begun')))
        }
      }
      for (const moment of snapshots) await rm(moment, { recursive: true })
      boot += 1_000
      engine = await startTestEngine({ dataDir, port })
      collector ??= await startCollector()
      await expect.poll(() => restores).toBe(cut + 1)
      isDraining = true
      await collector.drained()
      isDraining = false
      // Blocks that waited in the log are newer than what was restored.
      await untilVersionsExpire()
      expect(await requestViews(api, stopping.key, window)).toEqual(await storedViews(database, stopping.tenantId))
      await expectAcceptedOnce(stopping.accepted)
      expect(await versionOf(database, stopping.tenantId)).toBeTypeOf('string')
      isCut = false
      await someAccepted()
    }
    isOver = true
    await Promise.all(running)
    await collector?.drained()

    await expectAcceptedOnce(accepted())
    const { checked, differences } = await checkRollups(database)
    expect(differences).toEqual([])
    expect(checked).toBeGreaterThan(0)
    const detached = await queryRows(
      database,
      "SELECT count() FROM system.detached_parts WHERE startsWith(reason, 'broken')",
    )
    const installation = {
      config: () => ({ DATA_DIR: dataDir }),
      database: async () => ({ writer: database, url: engine.url }),
    } as unknown as Installation
    if (detached[0]?.[0] !== 0) await expect(parts.run(installation)).rejects.toThrow('broken parts are detached')
  } finally {
    isOver = true
    await collector?.close()
    await Promise.all([api.close(), database.close()])
    await engine.end()
    await rm(folder, { recursive: true })
  }
})
