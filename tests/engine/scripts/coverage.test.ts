import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { monitoredPages } from '../../../app/import/records/types/monitored-pages.ts'
import { scans } from '../../../app/import/records/types/scans.ts'
import { fetches, scannedScript } from '../../../fixtures/scanned-scripts.ts'
import { completeScan, failedScan, type ScanRecord } from '../../../fixtures/scans.ts'
import {
  daysAgo,
  importLines,
  paymentPage,
  type ScriptSite,
  type ScriptSites,
  sighting,
  startScriptSites,
  urlOf,
} from '../../support/script-sites.ts'

const folder = mkdtempSync(join(tmpdir(), 'scripts-coverage-'))

let sites: ScriptSites

beforeAll(async () => {
  sites = await startScriptSites()
})
afterAll(async () => {
  await sites?.api.close()
  rmSync(folder, { recursive: true })
})

const pay = 'https://shop.example.test/pay'

const lackingNone = { uninventoried: [], uninventoriedCount: 0 }

async function readPci(site: ScriptSite) {
  const { body } = await sites.api.get(`/v1/compliance/pci-dss?siteId=${site.siteId}`, { key: site.key })
  return body.data
}

test('a site reports integrity as soon as browsers report a violation of anything', async () => {
  const violations = [
    ['a style sheet', 'style', 'https://cdn.example.test/a.css'],
    ['a script that is inline', 'script', ''],
    ['a script of a blob', 'script', 'blob:https://shop.example.test/1'],
    ['nothing', undefined, undefined],
  ] as const
  const { tenantId, sites: shops } = await sites.createMany(violations.length)
  await sites.api.importRecords(
    tenantId,
    monitoredPages,
    shops.map((site) => paymentPage(site, pay)),
  )
  await sites.api.insertReports(shops.map((site) => sighting(site, 'a', 1, { documentUrl: pay })))
  for (const site of shops) {
    const { facts } = (await readPci(site)).requirements[0]
    expect(facts.integrity).toEqual({ protected: 0, unprotected: 0, unknown: 1, measured: false })
  }
  const lines = shops.map(({ siteId }, index) => {
    const [, destination, blockedURL] = violations[index] ?? []
    const body = { documentURL: pay, destination, blockedURL, reportOnly: true }
    return { receivedAt: daysAgo(1), site: siteId, body: [{ type: 'integrity-violation', url: pay, body }] }
  })
  expect(await importLines(folder, ['reports', '--tenant', tenantId], lines)).toMatchObject({
    result: { stored: violations.length },
  })
  for (const [index, site] of shops.entries()) {
    const [of] = violations[index] ?? []
    const { rest } = await sites.list(site)
    expect(rest.coverage, of).toEqual({ reporting: true, protected: 1, unprotected: 0, unknown: 0, ...lackingNone })
    expect(await sites.script(site, 'a'), of).toMatchObject({ coverage: { state: 'protected', decidedBy: 'reports' } })
    const { integrity } = (await readPci(site)).requirements[0].facts
    expect(integrity, of).toEqual({ protected: 1, unprotected: 0, unknown: 0, measured: true })
  }
})

test('scripts that the inventory lacks are all counted, and a cut of their list is no secret', async () => {
  const site = await sites.create()
  await sites.api.importRecords(site.tenantId, monitoredPages, [paymentPage(site, pay)])
  const violation = (url: string, days: number, documentUrl: string) =>
    sighting(site, '', days, { reportType: 'integrity-violation', scriptUrl: url, documentUrl })
  const [known, other] = ['https://cdn.example.test:8443/known.js', 'https://other.example.test/known.js']
  await sites.api.insertReports([
    ...[known, other].map((scriptUrl) => sighting(site, '', 1, { scriptUrl, documentUrl: pay })),
    // Oldest of all, so that the list lacks it.
    violation('https://cdn.example.test/old.js', 9, pay),
    ...Array.from({ length: 1_001 }, (_, index) => violation(`https://px.example.test/${index}.js`, 1, pay)),
    ...Array.from({ length: 7 }, (_, index) => violation(`https://px.example.test/home${index}.js`, 1, `${pay}/home`)),
  ])
  for (const [pageScope, uninventoriedCount] of [
    ['any', 1_009],
    ['payment', 1_002],
  ] as const) {
    const { rest } = await sites.list(site, { pageScope })
    const { uninventoried, ...counts } = rest.coverage as { uninventoried: { url: string }[] }
    expect(counts).toEqual({ reporting: true, protected: 2, unprotected: 0, unknown: 0, uninventoriedCount })
    expect([uninventoried.length, rest.truncated]).toEqual([1_000, true])
  }
  const { requirements, evidence } = await readPci(site)
  expect(requirements[0].facts.integrity).toEqual({ protected: 2, unprotected: 1_002, unknown: 0, measured: true })
  expect(requirements[0].gaps).toContainEqual({ kind: 'unprotected_scripts', count: 1_002, eventType: null })
  expect(evidence.uninventoriedUnprotected).toBe(1_002)
  const byScript = (evidence.scripts as { url: string; uninventoriedUnprotected: number }[]).map(
    (script) => [script.url, script.uninventoriedUnprotected] as const,
  )
  expect(new Map(byScript)).toEqual(
    new Map([
      [known, 1],
      [other, 0],
    ]),
  )
})

test('1,000 scripts that the inventory lacks are all listed', async () => {
  const site = await sites.create()
  const violation = { reportType: 'integrity-violation' } as const
  await sites.api.insertReports(Array.from({ length: 1_000 }, (_, index) => sighting(site, index, 1, violation)))
  const { rest } = await sites.list(site)
  expect(rest).toMatchObject({
    truncated: false,
    coverage: { uninventoried: { length: 1_000 }, uninventoriedCount: 1_000 },
  })
})

const bare = scannedScript(urlOf('a'), fetches.readable)
const covered = { ...bare, integrity: 'sha384-x' }

type Later = { readonly status?: 'failed' } & Partial<Pick<ScanRecord, 'statusCode' | 'scripts'>>

const laterScans: readonly (readonly [name: string, later: readonly Later[], state: string])[] = [
  ['no later scan', [], 'unprotected'],
  ['a later scan that failed', [{ status: 'failed' }], 'unprotected'],
  ['a later scan of an error page', [{ statusCode: 404, scripts: [] }], 'unprotected'],
  ['a later scan of an error page that has it', [{ statusCode: 404, scripts: [covered] }], 'unprotected'],
  ['a later scan that finds the script no more', [{ scripts: [] }], 'unknown'],
  ['a later scan without a list', [{ scripts: null }], 'unknown'],
  ['a later scan that finds it with integrity', [{ scripts: [covered] }], 'protected'],
  [
    'later scans that lack it, but for an error page',
    [{ scripts: [] }, { statusCode: 500, scripts: [bare] }],
    'unknown',
  ],
]

test('a scan decides coverage until its page’s next complete one', async () => {
  const { tenantId, sites: shops } = await sites.createMany(laterScans.length)
  const pages = shops.map((site) => paymentPage(site, pay))
  await sites.api.importRecords(tenantId, monitoredPages, pages)
  await sites.api.insertReports(
    shops.map((site) => sighting(site, '', 1, { reportType: 'integrity-violation', scriptUrl: '' })),
  )
  const records = laterScans.flatMap(([, later], at) =>
    [{ scripts: [bare] }, ...later].map((given, index) => {
      const named = { id: crypto.randomUUID(), pageId: pages[at]?.id ?? '', scannedAt: daysAgo(5 - index) }
      const { status, ...rest }: Later = given
      return status === 'failed' ? failedScan(named) : completeScan({ ...named, ...rest })
    }),
  )
  await sites.api.importRecords(tenantId, scans, records)
  for (const [index, site] of shops.entries()) {
    const [name, , state] = laterScans[index] ?? []
    const { coverage, scanPresence } = await sites.script(site, 'a')
    expect(coverage, name).toMatchObject({ state, decidedBy: state === 'unknown' ? null : 'scan' })
    expect(scanPresence.foundOn, name).toEqual([pages[index]?.id])
  }
})
