import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { scans } from '../../../app/import/records/types/scans.ts'
import { completeScan, sending } from '../../../fixtures/scans.ts'
import { seeded } from '../../../fixtures/seeded.ts'
import { type AlertWorld, createAlertWorld, workerEnvironment } from '../../support/alert-world.ts'
import { queryRows } from '../../support/database.ts'
import { freezeProcess } from '../../support/freeze-process.ts'
import type { OwnAlerts } from '../../support/own-alerts.ts'
import { type SpawnedScript, spawnScript } from '../../support/spawn-script.ts'

/** 200 kills take ten minutes: `ALERT_KILLS=200 npm test -- tests/engine/worker/alert-kills.test.ts`. */
const wantedKills = Number(process.env.ALERT_KILLS ?? 10)
const random = seeded(Number(process.env.ALERT_KILLS_SEED ?? 1))
const leaseMs = 500
const clock = { epoch: Date.now(), speed: 20 }

let world: AlertWorld

beforeAll(async () => {
  world = await createAlertWorld()
})
afterAll(() => world?.close())

function startAlerts(): SpawnedScript {
  const given: OwnAlerts = { writeUrl: world.database.writeUrl, environment: workerEnvironment, leaseMs, clock }
  return spawnScript('tests/support/own-alerts.ts', [JSON.stringify(given)], {})
}

type Shop = Awaited<ReturnType<AlertWorld['createShop']>>

/** A change of the page's headers and grade: two alerts. */
async function change(shop: Shop, ordinal: number): Promise<void> {
  const scan = completeScan({
    ...{
      id: randomUUID(),
      pageId: shop.pageId,
      scannedAt: new Date().toISOString(),
      grade: ordinal % 2 === 0 ? 'A' : 'B',
    },
    headers: sending({ 'content-security-policy': `img-src ${ordinal}.test` }),
  })
  await world.api.importRecords(shop.tenantId, scans, [scan])
}

interface Tally {
  /** What the receiver took, and what it had lost the answer of. */
  readonly ids: string[]
  lostAnswers: number
}

/** A receiver that refuses some messages once, is slow, or takes one and drops the connection before it answers. */
function receiveBadly(): Tally {
  const tally: Tally = { ids: [], lostAnswers: 0 }
  const failed = new Set<string>()
  world.respond(({ id }, response) => {
    const draw = failed.has(id) ? 9 : random.below(10)
    if (draw < 2) failed.add(id)
    if (draw === 0) return void response.writeHead(503).end()
    tally.ids.push(id)
    if (draw === 1) {
      tally.lostAnswers++
      return void response.destroy()
    }
    setTimeout(() => response.writeHead(204).end(), draw === 2 ? 150 : random.below(20))
  })
  return tally
}

const note = (what: string, seen: object) =>
  process.env.ALERT_KILLS && process.stderr.write(`${what}: ${JSON.stringify(seen)}\n`)

const countOf = async (statement: string) => Number((await queryRows(world.database.writer, statement))[0]?.[0])

async function judge(shop: Shop, tally: Tally, interruptions: number) {
  const ofTenant = `WHERE tenant_id = '${shop.tenantId}'`
  const changes = await countOf(
    `SELECT countIf(ordinal > 1) + countIf(ordinal > 1 AND grade > before) FROM (
       SELECT grade, lagInFrame(grade) OVER w AS before, row_number() OVER w AS ordinal FROM page_scans FINAL ${ofTenant}
       WINDOW w AS (ORDER BY scanned_at, toString(id) ROWS BETWEEN 1 PRECEDING AND CURRENT ROW))`,
  )
  const alerts = `SELECT count() FROM alerts FINAL ${ofTenant}`
  const delivered = `SELECT count() FROM alert_deliveries FINAL ${ofTenant} AND outcome = 'delivered'`
  await expect.poll(() => countOf(delivered)).toBe(changes)
  expect(await countOf(alerts)).toBe(changes)
  expect(await countOf(`SELECT count() FROM alert_deliveries ${ofTenant}`)).toBe(changes)
  expect(await countOf(`SELECT count() - uniqExact(event_type, subjects) FROM alerts FINAL ${ofTenant}`)).toBe(0)
  const received = new Set(tally.ids)
  const deliveries = await queryRows(world.database.writer, `SELECT id FROM alert_deliveries ${ofTenant}`)
  expect([...received].sort()).toEqual(deliveries.map(([id]) => String(id)).sort())
  const repeats = tally.ids.length - received.size
  expect(repeats).toBeLessThanOrEqual(interruptions + tally.lostAnswers)
  return { changes, repeats, lostAnswers: tally.lostAnswers }
}

test('a worker is killed again and again beside changing pages: each change is in one alert, each alert is delivered', async () => {
  const shop = await world.createShop()
  const tally = receiveBadly()
  let [ordinal, worker] = [0, startAlerts()]
  const changing = new AbortController()
  const changes = (async () => {
    while (!changing.signal.aborted) {
      await change(shop, ordinal++)
      await sleep(random.below(400))
    }
  })()
  try {
    for (let kills = 0; kills < wantedKills; kills++) {
      await worker.printed(/started/)
      await sleep(random.below(600))
      worker.child.kill('SIGKILL')
      worker = startAlerts()
    }
    changing.abort()
    await changes
    const seen = await judge(shop, tally, wantedKills)
    note(`${wantedKills} kills`, seen)
  } finally {
    changing.abort()
    worker.child.kill('SIGKILL')
    await Promise.all([changes, worker.ended()])
  }
})

test('of two workers one is frozen for longer than its lease, again and again: the same holds', async () => {
  const shop = await world.createShop()
  const tally = receiveBadly()
  const workers = [startAlerts(), startAlerts()]
  const freezes = Math.ceil(wantedKills / 4)
  try {
    await Promise.all(workers.map((worker) => worker.printed(/started/)))
    let ordinal = 0
    for (let count = 0; count < freezes; count++) {
      const pid = workers[random.below(2)]?.child.pid ?? 0
      await change(shop, ordinal++)
      await sleep(random.below(100))
      freezeProcess(pid)
      await change(shop, ordinal++)
      await sleep(leaseMs * 1.5)
      process.kill(pid, 'SIGCONT')
      await sleep(random.below(200))
    }
    const seen = await judge(shop, tally, freezes)
    note(`${freezes} freezes`, seen)
  } finally {
    for (const { child } of workers) child.kill('SIGKILL')
    await Promise.all(workers.map((worker) => worker.ended()))
  }
})
