import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { monitoredPages } from '../../../app/import/records/types/monitored-pages.ts'
import {
  daysAgo,
  importLines,
  paymentPage,
  type ScriptSite,
  type ScriptSites,
  sighting,
  startScriptSites,
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

async function readPci(site: ScriptSite) {
  const { body } = await sites.api.get(`/v1/compliance/pci-dss?siteId=${site.siteId}`, { key: site.key })
  return body.data
}

test.each([
  ['a style sheet', 'style', 'https://cdn.example.test/a.css'],
  ['a script that is inline', 'script', ''],
  ['a script of a blob', 'script', 'blob:https://shop.example.test/1'],
  ['nothing', undefined, undefined],
])('a site reports integrity as soon as browsers report a violation of %s', async (_, destination, blockedURL) => {
  const site = await sites.create()
  await sites.api.importRecords(site.tenantId, monitoredPages, [paymentPage(site, pay)])
  await sites.api.insertReports([sighting(site, 'a', 1, { documentUrl: pay })])
  const { facts } = (await readPci(site)).requirements[0]
  expect(facts.integrity).toEqual({ protected: 0, unprotected: 0, unknown: 1, measured: false })
  const body = { documentURL: pay, destination, blockedURL, reportOnly: true }
  const line = { receivedAt: daysAgo(1), site: site.siteId, body: [{ type: 'integrity-violation', url: pay, body }] }
  expect(await importLines(folder, ['reports', '--tenant', site.tenantId], [line])).toMatchObject({
    result: { stored: 1 },
  })
  const { rest } = await sites.list(site)
  expect(rest.coverage).toEqual({ reporting: true, protected: 1, unprotected: 0, unknown: 0, uninventoried: [] })
  expect(await sites.script(site, 'a')).toMatchObject({ coverage: { state: 'protected', decidedBy: 'reports' } })
  const { integrity } = (await readPci(site)).requirements[0].facts
  expect(integrity).toEqual({ protected: 1, unprotected: 0, unknown: 0, measured: true })
})
