/** @module A month of scans of 40 payment pages by the test's clock: each planted change is alerted once, and nothing else is. */

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { monitoredPages } from '../../../app/import/records/types/monitored-pages.ts'
import { scans } from '../../../app/import/records/types/scans.ts'
import { scriptDecisions } from '../../../app/import/records/types/script-decisions.ts'
import { fetches, scannedScript } from '../../../fixtures/scanned-scripts.ts'
import { completeScan, failedScan, sending } from '../../../fixtures/scans.ts'
import { toClickHouseTime } from '../../../queries/sql/sql.ts'
import { dayMs, hourMs } from '../../../schema/durations.ts'
import { type AlertWorld, createAlertWorld } from '../../support/alert-world.ts'

let world: AlertWorld

beforeAll(async () => {
  world = await createAlertWorld()
})
afterAll(() => world?.close())

const iso = (time: number) => new Date(time).toISOString()
const urlOf = (name: string) => `https://cdn.test/${name}.js`

/** `pay2` is release 2 of pay.js. */
const scriptOf = (text: string) =>
  scannedScript(urlOf(text.slice(0, -1)), fetches.readable, { release: Number(text.slice(-1)) })

interface Served {
  readonly scripts: string
  /** Inline scripts; none are recorded before the upgrade. */
  readonly inline: string
  readonly csp: string
  readonly hsts: string
  readonly integrity: string | null
  readonly endpoints: string
  readonly statusCode: number
  readonly finalUrl: string
  readonly failed: boolean
}

const usual: Served = {
  scripts: 'app1 pay1',
  inline: 'a b',
  csp: "script-src 'self' cdn.test",
  hsts: 'max-age=1; preload',
  integrity: 'blocked-destinations=(script)',
  endpoints: 'main="https://r.test/?id=1"',
  statusCode: 200,
  finalUrl: 'https://shop.example.test/checkout/payment',
  failed: false,
}

type Decision = readonly [name: string, status: 'authorized' | 'rejected', mode: 'pinned_hashes' | 'any_content' | null]

interface Day {
  /** Changes of pages by number; they last until another. */
  readonly serve?: Readonly<Record<number, Partial<Served>>>
  readonly decide?: readonly Decision[]
  /** The receiver is away when the changes are found. */
  readonly isAway?: true
  readonly told?: readonly string[]
}

const [skim, added, back, gone] = [urlOf('skim'), 'script added', 'script back again', 'script removed']
const notComparable =
  'Page 13: inline scripts differ in each of the last three scans; their changes are not alerted until two scans agree'

const days: Readonly<Record<number, Day>> = {
  5: { serve: { 1: { scripts: 'app1 pay1 skim1' } }, told: [`Page 1: ${added}, ${skim}`] },
  6: { serve: { 1: { scripts: 'app1 pay1' } }, told: [`Page 1: ${gone}, ${skim}`] },
  7: { serve: { 1: { scripts: 'app1 pay1 skim1' } }, told: [`Page 1: ${back}, ${skim}`] },
  8: { serve: { 2: { scripts: 'app1 pay1 skim1' } }, told: [`Page 2: ${added}, ${skim}`] },
  9: {
    decide: [['skim', 'rejected', null]],
    told: [1, 2].map((page) => `Page ${page}: rejected script runs, ${skim}`),
  },
  10: {
    serve: { 1: { scripts: 'app1 pay1' }, 2: { scripts: 'app1 pay1' } },
    told: [1, 2].map((page) => `Page ${page}: ${gone}, ${skim}`),
  },
  11: { serve: { 3: { scripts: 'error1', inline: 'e', statusCode: 404, csp: usual.csp } } },
  12: { serve: { 3: usual, 4: { scripts: 'login1', inline: 'l', finalUrl: 'https://login.example.test/' } } },
  13: { serve: { 4: usual } },
  14: { serve: { 5: { inline: 'a b skim' } }, told: [`Page 5: inline ${added}, "run(skim)"`] },
  15: { serve: { 5: { inline: 'a b' } }, told: [`Page 5: inline ${gone}, "run(skim)"`] },
  17: {
    decide: [['pay', 'authorized', 'pinned_hashes']],
    serve: { 5: { inline: 'a b skim' } },
    told: [`Page 5: inline ${back}, "run(skim)"`],
  },
  18: { serve: { 6: { scripts: 'app1 pay2' } }, told: [`Page 6: script changed, ${urlOf('pay')}`] },
  19: { decide: [['app', 'authorized', 'any_content']], serve: { 7: { scripts: 'app2 pay1' } } },
  20: { serve: { 8: { integrity: null } }, told: ['Page 8: integrity-policy removed'] },
  21: { serve: { 9: { endpoints: 'main="https://r.test/?id=2"', hsts: 'preload;max-age=1' } } },
  22: { serve: { 10: { csp: "script-src 'self' *" } }, told: ['Page 10: content-security-policy changed'] },
  23: { serve: { 11: { scripts: 'app1 pay1 new1' } }, isAway: true, told: [`Page 11: ${added}, ${urlOf('new')}`] },
  24: { serve: { 12: { failed: true } } },
  25: { serve: { 12: { failed: false, scripts: 'app1' } }, told: [`Page 12: ${gone}, ${urlOf('pay')}`] },
  26: {
    serve: { 13: { inline: 'a 1' } },
    told: ['Page 13: inline script added, "run(1)"', `Page 13: inline ${gone}, "run(b)"`],
  },
  27: {
    serve: { 13: { inline: 'a 2' } },
    told: ['Page 13: inline script added, "run(2)"', `Page 13: inline ${gone}, "run(1)"`],
  },
  28: {
    serve: { 13: { inline: 'a 3' } },
    told: ['Page 13: inline script added, "run(3)"', `Page 13: inline ${gone}, "run(2)"`, notComparable],
  },
  29: { serve: { 13: { inline: 'a 4' } } },
  30: { serve: { 13: { inline: 'a 5' } } },
  31: { serve: { 13: { inline: 'a 6' } } },
}

test('a month of scans alerts each planted change once, and nothing else', async () => {
  const shop = await world.createShop()
  const pages = Array.from({ length: 40 }, (_, position) => {
    const page = { kind: 'payment', label: `Page ${position}`, pattern: `https://shop.example.test/p${position}` }
    return {
      id: position === 0 ? shop.pageId : randomUUID(),
      siteId: shop.siteId,
      scanUrl: page.pattern,
      ...page,
      position,
    }
  })
  await world.api.importRecords(shop.tenantId, monitoredPages, pages)
  const served = new Map<string, Served>(pages.map(({ id }) => [id, usual]))
  const start = Date.now() - 31 * dayMs - 3 * hourMs
  // As if the upgrade had been then.
  const upgradedAt = toClickHouseTime(new Date(start - 2 * hourMs))
  await world.database.writer.command(
    `INSERT INTO schema_migrations (version, name, checksum, applied_at)
     VALUES (0, '0000_delivered_scans', repeat('0', 64), '${upgradedAt}')`,
  )
  let accepted: string[] = []
  const accept = () =>
    world.respond(({ message }, response) => {
      accepted.push(message.data.summary)
      response.writeHead(204).end()
    })

  function scanOf(pageId: string, scannedAt: string, isRecorded: boolean) {
    const { scripts, inline, csp, hsts, integrity, endpoints, failed, ...rest } = served.get(pageId) ?? usual
    const named = { id: randomUUID(), pageId, scannedAt }
    if (failed) return failedScan(named)
    const inlineScripts = inline
      .split(' ')
      .map((text) => ({ hash: `sha256-${text}`, sample: `run(${text})`, count: 1 }))
    const moreHeaders = { 'integrity-policy': integrity, 'reporting-endpoints': endpoints }
    return completeScan({
      ...named,
      ...rest,
      headers: sending({ 'content-security-policy': csp, 'strict-transport-security': hsts }),
      scripts: scripts.split(' ').map(scriptOf),
      result: isRecorded ? { inlineScripts, moreHeaders } : {},
    })
  }

  async function scanAll(time: number, isRecorded: boolean): Promise<void> {
    const records = pages.map(({ id }, index) => scanOf(id, iso(time + index * 1_000), isRecorded))
    await world.api.importRecords(shop.tenantId, scans, records)
  }

  async function decide([name, status, integrityMode]: Decision, time: number): Promise<void> {
    const decidedBy = { name: null, email: 'ada@shop.test' }
    const about = { id: randomUUID(), siteId: shop.siteId, url: urlOf(name), justification: 'Needed', decidedBy }
    const decision = { ...about, status, integrityMode, decidedAt: iso(time) }
    await world.api.importRecords(shop.tenantId, scriptDecisions, [decision])
  }

  accept()
  // Scans of an earlier release, and the first pass after the upgrade.
  for (const hours of [30, 6]) await scanAll(start - hours * hourMs, false)
  await world.pass(start - hourMs)
  expect(accepted).toEqual([])
  for (let day = 0; day <= 31; day++) {
    const { serve = {}, decide: decisions = [], isAway, told = [] } = days[day] ?? {}
    const time = start + day * dayMs
    for (const decision of decisions) await decide(decision, time - hourMs)
    for (const [index, changed] of Object.entries(serve)) {
      const { id = '' } = pages[Number(index)] ?? {}
      served.set(id, { ...(served.get(id) ?? usual), ...changed })
    }
    await scanAll(time, day > 2)
    if (isAway) {
      world.respond((_, response) => response.writeHead(503).end())
      await world.pass(time + 60_000)
      accept()
    }
    // A later pass of the same scans alerts nothing.
    for (const hours of [1, 2]) await world.pass(time + hours * hourMs)
    expect([day, accepted.sort()]).toEqual([day, [...told].sort()])
    accepted = []
  }
  const { body } = await world.api.get(`/v1/compliance/pci-dss?siteId=${shop.siteId}`, { key: shop.key })
  const { facts, gaps } = body.data.requirements[1]
  const all = Object.values(days).flatMap(({ told = [] }) => told)
  const headers = all.filter((one) => /policy/.test(one)).length
  const scripts = all.length - headers - 1
  expect(facts).toMatchObject({ changes: headers, alerted: headers, inlineNotComparable: 1 })
  expect(facts).toMatchObject({ scriptChanges: scripts, alertedScriptChanges: scripts, longestScanGapDays: 2 })
  expect(gaps.map(({ kind }: { kind: string }) => kind)).toEqual(['inline_not_comparable'])
})
