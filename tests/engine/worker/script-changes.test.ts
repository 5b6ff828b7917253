import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { monitoredPages } from '../../../app/import/records/types/monitored-pages.ts'
import { scans } from '../../../app/import/records/types/scans.ts'
import { scriptDecisions } from '../../../app/import/records/types/script-decisions.ts'
import { fetches, scannedScript } from '../../../fixtures/scanned-scripts.ts'
import { completeScan, type ScanRecord } from '../../../fixtures/scans.ts'
import { hourMs } from '../../../schema/durations.ts'
import { type AlertWorld, createAlertWorld } from '../../support/alert-world.ts'
import { queryRows } from '../../support/database.ts'

let world: AlertWorld

beforeAll(async () => {
  world = await createAlertWorld()
})
afterAll(() => world?.close())

const iso = (time: number) => new Date(time).toISOString()
const urlOf = (name: string) => `https://cdn.test/${name}.js`

/** `pay2` is release 2 of pay.js; `pay?` could not be fetched. */
function scriptOf(text: string) {
  const [, name = '', release = ''] = /^([a-z]+)(.)$/.exec(text) ?? []
  return release === '?'
    ? scannedScript(urlOf(name), fetches.late)
    : scannedScript(urlOf(name), fetches.readable, { release: Number(release) })
}

test('each change of a script is told once for the scan that found it, and nothing else is', async () => {
  const shop = await world.createShop()
  const second = randomUUID()
  const pattern = 'https://shop.example.test/second'
  await world.api.importRecords(shop.tenantId, monitoredPages, [
    { id: second, siteId: shop.siteId, kind: 'payment', label: 'Second', pattern, scanUrl: pattern, position: 1 },
  ])
  const start = Date.now() + hourMs
  let hour = 0
  const time = () => start + hour * hourMs
  async function scan(
    texts: string,
    given: Pick<Partial<ScanRecord>, 'statusCode' | 'finalUrl' | 'result'> = {},
    pageId = shop.pageId,
  ): Promise<string[]> {
    hour++
    const listed = texts.split(' ').map(scriptOf)
    const found = { id: randomUUID(), pageId, scannedAt: iso(time()), grade: 'A' as const, scripts: listed, ...given }
    await world.api.importRecords(shop.tenantId, scans, [completeScan(found)])
    const sent = await world.pass(time() + 1_000)
    return sent
      .filter(({ message }) => message.type === 'script.changed')
      .map(({ message }) => message.data.summary)
      .sort()
  }
  const decide = (name: string, status: 'authorized' | 'rejected', integrityMode: string | null) =>
    world.api.importRecords(shop.tenantId, scriptDecisions, [
      {
        id: randomUUID(),
        siteId: shop.siteId,
        url: urlOf(name),
        status,
        integrityMode,
        justification: 'Needed',
        decidedBy: { name: null, email: 'ada@shop.test' },
        decidedAt: iso(time() + 60_000),
      },
    ])

  expect(await scan('app1 pay1')).toEqual([])
  expect(await scan('app1 pay1', {}, second)).toEqual([])
  expect(await scan('app1 pay1 skim1')).toEqual([`Checkout: script added, ${urlOf('skim')}`])
  expect(await world.pass(time() + 2_000)).toEqual([])
  expect(await scan('app1 pay1')).toEqual([`Checkout: script removed, ${urlOf('skim')}`])
  expect(await scan('app1 pay1 skim1')).toEqual([`Checkout: script back again, ${urlOf('skim')}`])
  expect(await scan('app1 pay1 skim1', {}, second)).toEqual([`Second: script added, ${urlOf('skim')}`])
  expect(await scan('app1 pay? skim1')).toEqual([])
  expect(await scan('app1 pay1 skim1')).toEqual([])
  expect(await scan('app1 pay? skim1')).toEqual([])
  expect(await scan('app1 pay2 skim1')).toEqual([`Checkout: script changed, ${urlOf('pay')}`])
  expect(await scan('other1', { statusCode: 404 })).toEqual([])
  expect(await scan('other1', { finalUrl: 'https://login.example.test/' })).toEqual([])
  expect(await scan('app1 pay2 skim1')).toEqual([])
  await decide('skim', 'rejected', null)
  await decide('app', 'authorized', 'pinned_hashes')
  await decide('pay', 'authorized', 'any_content')
  expect(await scan('app1 pay3 skim1')).toEqual([`Checkout: rejected script runs, ${urlOf('skim')}`])
  expect(await scan('app1 pay3 skim1')).toEqual([])
  expect(await scan('app2 pay3')).toEqual([
    `Checkout: script changed, ${urlOf('app')}`,
    `Checkout: script removed, ${urlOf('skim')}`,
  ])
  expect(await scan('app2 pay3 skim1')).toEqual([`Checkout: rejected script runs, ${urlOf('skim')}`])

  const named = await queryRows(
    world.database.writer,
    `SELECT count(), uniqExact(scan_ids) FROM alert_deliveries FINAL ARRAY JOIN scan_ids
     WHERE tenant_id = '${shop.tenantId}' AND event_type = 'script.changed'
       AND scan_ids IN (SELECT id FROM page_scans WHERE tenant_id = '${shop.tenantId}')`,
  )
  expect(named).toEqual([[9, 8]])

  const verdict = async () => {
    const { body } = await world.api.get(`/v1/compliance/pci-dss?siteId=${shop.siteId}`, { key: shop.key })
    return body.data.requirements[1]
  }
  // The change of pay.js was authorized within a day.
  const told = await verdict()
  expect(told.facts).toMatchObject({ scriptChanges: 8, alertedScriptChanges: 8 })
  expect(told.gaps.map(({ kind }: { kind: string }) => kind)).not.toContain('not_alerted')
  world.respond((_, response) => response.writeHead(410).end())
  expect(await scan('app2 pay3 skim1 new1')).toEqual([`Checkout: script added, ${urlOf('new')}`])
  const untold = await verdict()
  expect(untold.status).toBe('not_met')
  expect(untold.facts).toMatchObject({ scriptChanges: 9, alertedScriptChanges: 8, failingDestinations: 1 })
  expect(untold.gaps.map(({ kind }: { kind: string }) => kind)).toEqual(['not_alerted', 'destination_failing'])
})

test('inline scripts are compared by hash, the first list is a baseline, and a page without equal scans is told once', async () => {
  world.respond((_, response) => response.end())
  const shop = await world.createShop()
  const start = Date.now() + hourMs
  let hour = 0
  const resultOf = (texts: string) => ({
    inlineScripts: texts.split(' ').map((text) => ({ hash: `sha256-${text}`, sample: ` run(\n"${text}")`, count: 1 })),
  })
  async function scan(
    texts: string | null,
    given: Pick<Partial<ScanRecord>, 'statusCode' | 'scripts'> = {},
  ): Promise<string[]> {
    hour++
    const scannedAt = iso(start + hour * hourMs)
    const result = texts === null ? { grade: 'A' } : resultOf(texts)
    const record = { id: randomUUID(), pageId: shop.pageId, scannedAt, scripts: [scriptOf('app1')], result, ...given }
    await world.api.importRecords(shop.tenantId, scans, [completeScan(record)])
    const sent = (await world.pass(start + hour * hourMs + 1_000)).filter(({ path }) => path === `/in/${shop.pageId}`)
    return sent.map(({ message }) => message.data.summary).sort()
  }
  const told = (change: string, text: string) => `Checkout: inline ${change}, "run( \\"${text}\\")"`
  const gapsOf = async () => {
    const { body } = await world.api.get(`/v1/compliance/pci-dss?siteId=${shop.siteId}`, { key: shop.key })
    const { gaps, facts } = body.data.requirements[1]
    return [facts.inlineNotComparable, facts.scriptChanges, gaps.map(({ kind }: { kind: string }) => kind)]
  }

  expect(await scan(null)).toEqual([])
  expect(await scan('a b')).toEqual([])
  expect(await scan('b a')).toEqual([])
  expect(await scan('a b skim')).toEqual([told('script added', 'skim')])
  expect(await scan('a b')).toEqual([told('script removed', 'skim')])
  expect(await scan('a b')).toEqual([])
  expect(await scan('a b skim')).toEqual([told('script back again', 'skim')])
  expect(await scan('x', { statusCode: 404 })).toEqual([])
  expect(await scan('a b skim')).toEqual([])
  expect(await scan('a b')).toEqual([told('script removed', 'skim')])
  expect(await scan(null)).toEqual([])
  expect(await scan('c')).toEqual([])
  expect(await gapsOf()).toEqual([0, 4, []])
  expect(await scan('d c')).toEqual([told('script added', 'd')])
  expect(await scan('d c e')).toEqual([told('script added', 'e')])
  const several = 'Checkout: inline scripts differ in each of the last three scans'
  expect(await scan('d e')).toEqual([told('script removed', 'c'), expect.stringContaining(several)].sort())
  expect(await gapsOf()).toEqual([1, 7, ['inline_not_comparable']])
  expect(await scan('f e')).toEqual([])
  expect(await scan('g e', { scripts: [scriptOf('app1'), scriptOf('new1')] })).toEqual([
    `Checkout: script added, ${urlOf('new')}`,
  ])
  expect(await scan('g e', { scripts: [scriptOf('app1'), scriptOf('new1')] })).toEqual([])
  expect(await gapsOf()).toEqual([0, 8, []])

  const report = await world.api.get(`/v1/compliance/pci-dss/report?siteId=${shop.siteId}`, { key: shop.key })
  expect(report.body.data.evidence.scriptChanges[1]).toMatchObject({
    change: 'removed',
    url: 'inline',
    hash: 'sha256-c',
    sample: ' run(\n"c")',
  })
  expect(report.body.data.evidence.pages[0]).toMatchObject({ inlineNotComparable: false })
})

test('a scan from before the upgrade is told as its release told it: once per script and hash, and no removal', async () => {
  const shop = await world.createShop()
  const before = Date.now() - 5 * hourMs
  const listed = ['app1', 'app1 skim1', 'app1', 'app1 skim1']
  await world.api.importRecords(
    shop.tenantId,
    scans,
    listed.map((texts, index) =>
      completeScan({
        id: randomUUID(),
        pageId: shop.pageId,
        scannedAt: iso(before + index * hourMs),
        scripts: texts.split(' ').map(scriptOf),
      }),
    ),
  )
  const sent = (await world.pass()).filter(({ path }) => path === `/in/${shop.pageId}`)
  expect(sent.map(({ message }) => message.data.summary)).toEqual([`Checkout: script added, ${urlOf('skim')}`])
})
