import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { scans } from '../../../app/import/records/types/scans.ts'
import { leaseIds } from '../../../app/program/lease.ts'
import { fetches, scannedScript } from '../../../fixtures/scanned-scripts.ts'
import { completeScan, type ScanRecord, sending } from '../../../fixtures/scans.ts'
import { seeded } from '../../../fixtures/seeded.ts'
import { type AlertWorld, createAlertWorld, workerEnvironment } from '../../support/alert-world.ts'
import { queryRows } from '../../support/database.ts'
import { freezeProcess } from '../../support/freeze-process.ts'
import type { OwnAlerts } from '../../support/own-alerts.ts'
import { type SpawnedScript, spawnScript } from '../../support/spawn-script.ts'

/** A kill takes a second, half of it the lease: `ALERT_KILLS=200 npm run test:faults -- tests/faults/worker/alert-kills.test.ts`. */
const wantedKills = Number(process.env.ALERT_KILLS ?? 4)
const random = seeded(Number(process.env.ALERT_KILLS_SEED ?? 1))
const leaseMs = 500
const clock = { epoch: Date.now(), speed: 20 }

let world: AlertWorld

beforeAll(async () => {
  world = await createAlertWorld()
})
afterAll(() => world?.close())

function startAlerts({ events }: Tally): SpawnedScript {
  const given: OwnAlerts = { writeUrl: world.database.writeUrl, environment: workerEnvironment, leaseMs, clock }
  const worker = spawnScript('tests/support/own-alerts.ts', [JSON.stringify(given)], {})
  worker.child.stdout?.once('data', () => events.push('interruption'))
  return worker
}

type Shop = Awaited<ReturnType<AlertWorld['createShop']>>

/** A change of the page's headers, often with a lower grade: one alert. */
async function change(shop: Shop, ordinal: number, scripts: ScanRecord['scripts'] = null): Promise<string> {
  const scan = completeScan({
    id: randomUUID(),
    pageId: shop.pageId,
    scannedAt: new Date().toISOString(),
    grade: ordinal % 2 === 0 ? 'A' : 'B',
    headers: sending({ 'content-security-policy': `img-src ${ordinal}.test` }),
    scripts,
  })
  await world.api.importRecords(shop.tenantId, scans, [scan])
  return scan.id
}

interface Receipt {
  readonly id: string
  /** The connection was dropped before the response. */
  readonly isLost: boolean
}

interface Tally {
  /** In their order; a worker is interrupted by a kill or a freeze, and until it or its successor runs. */
  readonly events: (Receipt | 'interruption')[]
}

/** A receiver that refuses some messages once, is slow, or takes one and drops the connection before it answers. */
function receiveBadly(): Tally {
  const tally: Tally = { events: [] }
  const failed = new Set<string>()
  world.respond(({ id }, response) => {
    const draw = failed.has(id) ? 9 : random.below(10)
    if (draw < 2) failed.add(id)
    if (draw === 0) return void response.writeHead(503).end()
    tally.events.push({ id, isLost: draw === 1 })
    if (draw === 1) return void response.destroy()
    setTimeout(() => response.writeHead(204).end(), draw === 2 ? 150 : random.below(20))
  })
  return tally
}

const note = (what: string, seen: object) =>
  process.env.ALERT_KILLS && process.stderr.write(`${what}: ${JSON.stringify(seen)}\n`)

const countOf = async (statement: string) => Number((await queryRows(world.database.writer, statement))[0]?.[0])

/** How often a worker took the lease. */
const countClaims = () => countOf(`SELECT max(generation) FROM import_leases WHERE tenant_id = '${leaseIds.alerts}'`)

/** @param claims before the first worker: on a busy machine the lease of one that goes on expires too. */
async function judge(shop: Shop, tally: Tally, interruptions: number, claims: number) {
  const ofTenant = `WHERE tenant_id = '${shop.tenantId}'`
  const changes = (await countOf(`SELECT count() FROM page_scans FINAL ${ofTenant}`)) - 1
  const alerts = `SELECT count() FROM alerts FINAL ${ofTenant}`
  const delivered = `SELECT count() FROM alert_deliveries FINAL ${ofTenant} AND outcome = 'delivered'`
  await expect.poll(() => countOf(delivered), { interval: 250 }).toBe(changes)
  expect(await countOf(alerts)).toBe(changes)
  expect(await countOf(`SELECT count() FROM alert_deliveries ${ofTenant}`)).toBe(changes)
  expect(await countOf(`SELECT count() - uniqExact(event_type, subjects) FROM alerts FINAL ${ofTenant}`)).toBe(0)
  const deliveries = await queryRows(world.database.writer, `SELECT id FROM alert_deliveries ${ofTenant}`)
  const repeats = repeatsOf(tally)
  expect([...repeats.keys()].sort()).toEqual(deliveries.map(([id]) => String(id)).sort())
  const all = [...repeats.values()].flat()
  const countBy = (wanted: Reason) => all.filter((reason) => reason === wanted).length
  const takeovers = (await countClaims()) - claims - 1
  const interrupted = countBy('interrupted')
  expect(interrupted).toBeLessThanOrEqual(Math.max(interruptions, takeovers))
  expect(countBy('unexplained')).toBeLessThanOrEqual(Math.max(0, takeovers - interruptions))
  return { changes, interrupted, lost: all.length - interrupted }
}

type Reason = 'lost' | 'interrupted' | 'unexplained'

/** Why each message was sent again, by its id. */
function repeatsOf({ events }: Tally): Map<string, Reason[]> {
  const repeats = new Map<string, Reason[]>()
  const before = new Map<string, { readonly isLost: boolean; readonly index: number }>()
  for (const [index, event] of events.entries()) {
    if (event === 'interruption') continue
    const earlier = before.get(event.id)
    before.set(event.id, { isLost: event.isLost, index })
    const reasons = repeats.get(event.id) ?? []
    repeats.set(event.id, reasons)
    if (!earlier) continue
    const isInterrupted = events.slice(earlier.index, index).includes('interruption')
    reasons.push(earlier.isLost ? 'lost' : isInterrupted ? 'interrupted' : 'unexplained')
  }
  return repeats
}

test('a worker is killed again and again beside changing pages: each change is in one alert, each alert is delivered', async () => {
  const [shop, claims] = [await world.createShop(), await countClaims()]
  const tally = receiveBadly()
  let [ordinal, worker] = [0, startAlerts(tally)]
  const changing = new AbortController()
  const changes = (async () => {
    while (!changing.signal.aborted) {
      await change(shop, ordinal++)
      await sleep(random.below(1_000))
    }
  })()
  try {
    for (let kills = 0; kills < wantedKills; kills++) {
      await worker.printed(/started/)
      await sleep(random.below(600))
      worker.child.kill('SIGKILL')
      tally.events.push('interruption')
      worker = startAlerts(tally)
    }
    changing.abort()
    await changes
    const seen = await judge(shop, tally, wantedKills, claims)
    note(`${wantedKills} kills`, seen)
  } finally {
    changing.abort()
    worker.child.kill('SIGKILL')
    await Promise.all([changes, worker.ended()])
  }
})

test('each change of a script is in one message, though workers are killed between its detection and its delivery', async () => {
  const shop = await world.createShop()
  const sent = new Map<string, readonly string[]>()
  world.respond(({ id, message: { type, data } }, response) => {
    if (type === 'script.changed') sent.set(id, data.scripts?.map(({ scanId }) => scanId ?? '') ?? [])
    setTimeout(() => response.writeHead(204).end(), random.below(100))
  })
  const scanned: string[] = []
  let worker = startAlerts({ events: [] })
  try {
    // More alerts of an hour would wait.
    for (let ordinal = 0; ordinal <= Math.min(wantedKills, 10); ordinal++) {
      await worker.printed(/started/)
      const script = scannedScript('https://cdn.test/pay.js', fetches.readable, { release: ordinal })
      scanned.push(await change(shop, ordinal, [script]))
      await sleep(random.below(800))
      worker.child.kill('SIGKILL')
      worker = startAlerts({ events: [] })
    }
    const told = () => [...sent.values()].flat().sort()
    await expect.poll(told, { interval: 250 }).toEqual(scanned.slice(1).sort())
    const ofTenant = `FINAL WHERE tenant_id = '${shop.tenantId}'`
    const subjects = `SELECT sum(length(subjects)) FROM alerts ${ofTenant} AND event_type = 'script.changed'`
    expect(await countOf(subjects)).toBe(scanned.length - 1)
    // The scans' headers have one message each, which the next test must not receive.
    const delivered = () => countOf(`SELECT count() FROM alert_deliveries ${ofTenant}`)
    await expect.poll(delivered, { interval: 250 }).toBe(scanned.length - 1 + sent.size)
  } finally {
    worker.child.kill('SIGKILL')
    await worker.ended()
  }
})

test('of two workers one is frozen for longer than its lease, again and again: the same holds', async () => {
  const [shop, claims] = [await world.createShop(), await countClaims()]
  const tally = receiveBadly()
  const workers = [startAlerts(tally), startAlerts(tally)]
  const freezes = Math.ceil(wantedKills / 4)
  try {
    await Promise.all(workers.map((worker) => worker.printed(/started/)))
    let ordinal = 0
    for (let count = 0; count < freezes; count++) {
      const pid = workers[random.below(2)]?.child.pid ?? 0
      await change(shop, ordinal++)
      await sleep(random.below(100))
      freezeProcess(pid)
      tally.events.push('interruption')
      await change(shop, ordinal++)
      await sleep(leaseMs * 1.5)
      process.kill(pid, 'SIGCONT')
      tally.events.push('interruption')
      await sleep(random.below(200))
    }
    const seen = await judge(shop, tally, freezes, claims)
    note(`${freezes} freezes`, seen)
  } finally {
    for (const { child } of workers) child.kill('SIGKILL')
    await Promise.all(workers.map((worker) => worker.ended()))
  }
})
