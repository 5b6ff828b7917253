import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { importObjects } from '../../../app/import/records/import-objects.ts'
import { monitoredPages } from '../../../app/import/records/types/monitored-pages.ts'
import { scans } from '../../../app/import/records/types/scans.ts'
import { completeScan } from '../../../fixtures/scans.ts'
import { seeded } from '../../../fixtures/seeded.ts'
import type { Database } from '../../../queries/clickhouse/database.ts'
import { uuidV5 } from '../../../schema/rules/uuid-v5.ts'
import { queryRows } from '../../support/database.ts'
import type { TestEngine } from '../../support/engine.ts'
import { startMigratedEngine } from '../../support/migrated-engine.ts'
import { type OwnWorker, startOwnWorker } from '../../support/own-worker.ts'
import { connectPatiently } from '../../support/patience.ts'
import { type SpawnedScript, spawnScript } from '../../support/spawn-script.ts'
import { createTenantWriter } from '../../support/tenants.ts'
import { startWebServer, type WebServer } from '../../support/web-server.ts'

/** 50 kills take two minutes: `WORKER_KILLS=50 npm run test:faults -- tests/faults/worker/kills.test.ts`. */
const wantedKills = Number(process.env.WORKER_KILLS ?? 10)
const random = seeded(Number(process.env.WORKER_KILLS_SEED ?? 1))
const intervalMs = 1_000
const leaseMs = 500

let engine: TestEngine
let database: Database
let web: WebServer
/** What a page's response waits for. */
let hold = () => sleep(random.below(200))
/** Paths of pages. */
const visits: (string | undefined)[] = []

beforeAll(async () => {
  engine = await startMigratedEngine()
  database = connectPatiently(engine.userUrls.writer)
  web = await startWebServer(async (request, response) => {
    const isScript = request.url === '/a.js'
    if (!isScript) visits.push(request.url)
    await hold()
    response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html')
    response.end(isScript ? 'run()' : '<!doctype html><script src="/a.js"></script>')
  })
})

afterAll(async () => {
  await Promise.all([database?.close(), web?.close()])
  await engine?.end()
})

/** Pages of a tenant of their own. */
async function makePages(count: number) {
  const writer = createTenantWriter(database)
  const tenantId = await writer.createTenant()
  const siteId = await writer.createSite(tenantId)
  const pages = Array.from({ length: count }, (_, position) => ({
    id: randomUUID(),
    siteId,
    kind: 'payment',
    label: 'Page',
    pattern: `${web.origin}/`,
    position,
    scanUrl: `${web.origin}/${position}`,
  }))
  await writer.importRecords(tenantId, monitoredPages, pages)
  return { tenantId, pageIds: pages.map(({ id }) => id) }
}

const own = (tenantId: string): OwnWorker => ({
  writeUrl: engine.userUrls.writer,
  dataDir: engine.dataDir,
  tenantId,
  intervalMs,
  leaseMs,
})

const scansOf = (tenantId: string, columns: string, more = '') =>
  queryRows(database, `SELECT ${columns} FROM page_scans WHERE tenant_id = '${tenantId}' ${more}`)
const countScans = async (tenantId: string) => Number((await scansOf(tenantId, 'count()'))[0]?.[0])

test('of two workers one is killed again and again: no page is scanned twice at one due time, no scan is half', async () => {
  const { tenantId, pageIds } = await makePages(6)
  const given = own(tenantId)
  const start = () => spawnScript('tests/support/own-worker.ts', [JSON.stringify(given)], {})
  const workers: SpawnedScript[] = [start(), start()]
  const bothStarted = () => Promise.all(workers.map((worker) => worker.printed(/started/)))
  try {
    for (let kills = 0; kills < wantedKills; kills++) {
      await bothStarted()
      await sleep(random.below(600))
      const index = random.below(2)
      workers[index]?.child.kill('SIGKILL')
      workers[index] = start()
    }
    await bothStarted()
    const killed = await countScans(tenantId)
    await expect.poll(() => countScans(tenantId)).toBeGreaterThan(killed + 2 * pageIds.length)
  } finally {
    for (const { child } of workers) child.kill('SIGKILL')
    await Promise.all(workers.map((worker) => worker.ended()))
  }
  const kept = await scansOf(tenantId, 'count(), uniqExact(id), uniqExact(page_id)')
  const [[count, ids, pages] = []] = kept.map((row) => row.map(Number))
  expect({ ids, pages }).toEqual({ ids: count, pages: pageIds.length })
  const isWhole = "status = 'complete' AND isValidJSON(result) AND scripts_listed AND script_hashes[1] LIKE 'sha256-%'"
  expect(await scansOf(tenantId, 'count()', `AND NOT (${isWhole})`)).toEqual([[0]])
  // Two scans of one due time are closer than the interval less its jitter.
  const since =
    "dateDiff('ms', lagInFrame(scanned_at, 1, noTime) OVER (PARTITION BY page_id ORDER BY scanned_at ROWS BETWEEN 1 PRECEDING AND CURRENT ROW), scanned_at)"
  const [[closest] = []] = await queryRows(
    database,
    `WITH toDateTime64(0, 3, 'UTC') AS noTime
     SELECT min(since) FROM (SELECT ${since} AS since FROM page_scans WHERE tenant_id = '${tenantId}')`,
  )
  expect(Number(closest)).toBeGreaterThanOrEqual((intervalMs * 23) / 24)
})

test('of two records of one due time the first is stored, though neither import sees the other', async () => {
  const { tenantId, pageIds } = await makePages(1)
  const both = new EventTarget()
  let reads = 0
  const racing: Pick<Database, 'read' | 'insert'> = {
    insert: database.insert,
    async read(query, options) {
      const rows = await database.read(query, options)
      if (query.name !== 'listImmutableFields') return rows
      const last = once(both, 'read')
      if (++reads === 2) both.dispatchEvent(new Event('read'))
      await last
      return rows
    },
  }
  const id = randomUUID()
  const scan = (scannedAt: string) => completeScan({ id, pageId: pageIds[0] ?? '', scannedAt })
  const store = (scannedAt: string) =>
    importObjects({ type: scans, database: racing, tenantId, token: id }, [scan(scannedAt)])
  await Promise.all([store('2026-01-31T12:00:00.000Z'), store('2026-01-31T12:00:01.000Z')])
  expect(await countScans(tenantId)).toBe(1)
})

test('a page whose scan cannot be stored is not fetched again and again', async () => {
  const { tenantId, pageIds } = await makePages(2)
  const [refused = '', other = ''] = pageIds
  // The id of its first scan is another page's for good.
  const taken = completeScan({
    id: uuidV5(refused, new Date(0).toISOString()),
    pageId: other,
    scannedAt: '2026-01-31T12:00:00.000Z',
  })
  await importObjects({ type: scans, database, tenantId }, [taken])
  const before = visits.length
  const worker = await startOwnWorker({ ...own(tenantId), intervalMs: 1 })
  await expect.poll(() => countScans(tenantId)).toBeGreaterThan(3)
  await worker.stop()
  expect(visits.slice(before).filter((path) => path === '/0')).toHaveLength(1)
  expect(await scansOf(tenantId, 'count()', `AND page_id = '${refused}'`)).toEqual([[0]])
})

test.each([
  ['ends within DRAIN_SECONDS is stored', '600', 1],
  ['does not is cut, and stored by the next worker', '0', 0],
])('a scan that runs at the stop signal and %s', async (_, DRAIN_SECONDS, stored) => {
  const { tenantId } = await makePages(1)
  const given = own(tenantId)
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const before = visits.length
  hold = () => released
  const worker = await startOwnWorker(given, { DRAIN_SECONDS })
  await expect.poll(() => visits.length).toBe(before + 1)
  const stopped = worker.stop()
  if (stored === 0) await stopped
  release()
  await stopped
  expect(await countScans(tenantId)).toBe(stored)
  const next = await startOwnWorker(given)
  await expect.poll(() => countScans(tenantId)).toBeGreaterThan(stored)
  await next.stop()
})
