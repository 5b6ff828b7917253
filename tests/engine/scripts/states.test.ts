import { afterAll, beforeAll, expect, test } from 'vitest'
import { libraryAdvisories } from '../../../app/import/records/types/library-advisories.ts'
import { libraryFiles } from '../../../app/import/records/types/library-files.ts'
import { monitoredPages } from '../../../app/import/records/types/monitored-pages.ts'
import { scans } from '../../../app/import/records/types/scans.ts'
import { scriptCaptures } from '../../../app/import/records/types/script-captures.ts'
import { scriptDecisions } from '../../../app/import/records/types/script-decisions.ts'
import { fetches, scannedScript } from '../../../fixtures/scanned-scripts.ts'
import { completeScan } from '../../../fixtures/scans.ts'
import {
  advisoryStates,
  captureRefusals,
  captureStates,
  coverageStates,
  identificationStates,
  integrityModes,
  scriptSources,
  scriptStatuses,
} from '../../../schema/scripts.ts'
import {
  daysAgo,
  decision,
  hashed,
  hashOf,
  now,
  paymentPage,
  run,
  type ScriptSites,
  sighting,
  startScriptSites,
  urlOf,
} from '../../support/script-sites.ts'

let sites: ScriptSites

beforeAll(async () => {
  sites = await startScriptSites()
})
afterAll(() => sites?.api.close())

test('every state can be imported, and is returned', async () => {
  const site = await sites.create()
  const { tenantId, siteId } = site
  const page = paymentPage(site, 'https://shop.example.test/pay')
  await sites.api.importRecords(tenantId, monitoredPages, [page])
  const known = (text: string, name: string) => ({
    hash: hashOf(text),
    name,
    version: '1.0.0',
    path: 'a.js',
    catalog: `${run}-states`,
  })
  await sites.api.importRecords(undefined, libraryFiles, [
    known('flawed', 'flawed'),
    known('clean', 'clean'),
    known('unchecked', 'unchecked'),
  ])
  const advisory = { id: 'A', ranges: [{}], severity: 'low', url: 'x', modifiedAt: '2026-01-01T00:00:00.000Z' }
  const check = (name: string, advisories: readonly object[]) => ({
    catalog: `${run}-states`,
    package: name,
    checkedAt: new Date(now).toISOString(),
    advisories,
  })
  await sites.api.importRecords(undefined, libraryAdvisories, [check('flawed', [advisory]), check('clean', [])])
  const named = 'other-1.0.0'
  await sites.api.insertReports([
    sighting(site, 'flawed', 1, hashed('flawed')),
    sighting(site, 'clean', 1, hashed('clean')),
    sighting(site, named, 1, hashed('unchecked')),
    sighting(site, 'unheard', 1, hashed('unheard')),
    sighting(site, 'unhashed', 1),
    sighting(site, 'flawed', 1, { reportType: 'integrity-violation', disposition: 'enforce' }),
    sighting(site, 'old', 60, hashed('old')),
    ...captureRefusals.map((reason) => sighting(site, 'clean', 2, hashed(reason))),
    ...captureStates.map((state) => sighting(site, 'clean', 2, hashed(state))),
  ])
  const tag = { ...scannedScript(urlOf('scanned'), fetches.readable), integrity: 'sha384-x', hash: hashOf('scanned') }
  await sites.api.importRecords(tenantId, scans, [
    completeScan({ id: crypto.randomUUID(), pageId: page.id, scannedAt: daysAgo(1), scripts: [tag] }),
  ])
  await sites.api.importRecords(tenantId, scriptDecisions, [
    decision(site, 'clean', 1),
    decision(site, 'flawed', 1, { status: 'rejected', integrityMode: null }),
    decision(site, 'unhashed', 1, { integrityMode: 'pinned_hashes' }),
  ])
  const capture = { siteId, url: urlOf('clean'), source: 'report', fetchedUrl: urlOf('clean') }
  await sites.api.importRecords(tenantId, scriptCaptures, [
    ...captureRefusals.map((reason) => ({ ...capture, hash: hashOf(reason), state: 'refused', reason })),
    ...captureStates
      .filter((state) => state !== 'refused')
      .map((state) => ({
        ...capture,
        hash: hashOf(state),
        state,
        ...(state === 'mismatched' && { receivedHash: hashOf(0) }),
      })),
  ])
  const { data } = await sites.list(site)
  const states = (state: (script: (typeof data)[number]) => unknown) => [...new Set(data.flatMap(state))].sort()
  expect(states(({ status }) => status)).toEqual(scriptStatuses.toSorted())
  expect(states(({ integrityMode }) => integrityMode ?? [])).toEqual(integrityModes.toSorted())
  expect(states(({ coverage }) => coverage.state)).toEqual(coverageStates.toSorted())
  expect(states(({ coverage }) => coverage.decidedBy ?? [])).toEqual(['reports', 'scan'])
  expect(states(({ identification }) => identification.state)).toEqual(identificationStates.toSorted())
  expect(states(({ hashes }) => hashes.flatMap((one: { sources: string[] }) => one.sources))).toEqual(
    scriptSources.toSorted(),
  )
  const captures = data.flatMap(({ hashes }) => hashes.flatMap((one: { capture: object | null }) => one.capture ?? []))
  expect([...new Set(captures.map(({ state }) => state))].sort()).toEqual(captureStates.toSorted())
  expect(captures.flatMap(({ reason }) => reason ?? []).sort()).toEqual(captureRefusals.toSorted())
  const included = advisoryStates.filter((state) => state !== 'not_included')
  expect(states(({ advisories }) => advisories.state)).toEqual(included.toSorted())
  // The scan finds the other scripts nowhere, though it does not say where they went.
  expect(data.find(({ url }) => url === urlOf('scanned'))?.scanPresence).toMatchObject({
    foundOn: [page.id],
    goneFrom: [],
  })
})

test.each([
  [200, true],
  [299, true],
  [301, false],
  [404, false],
  [500, false],
  [null, false],
])('whether a page has lost a script, by a scan without it with the status %s: %s', async (code, isGone) => {
  const site = await sites.create()
  const page = paymentPage(site, 'https://shop.example.test/pay')
  await sites.api.importRecords(site.tenantId, monitoredPages, [page])
  const scan = (days: number, statusCode: number | null, urls: readonly string[]) =>
    completeScan({
      id: crypto.randomUUID(),
      pageId: page.id,
      scannedAt: daysAgo(days),
      statusCode,
      scripts: urls.map((url) => scannedScript(url, fetches.readable)),
    })
  await sites.api.importRecords(site.tenantId, scans, [scan(2, 200, [urlOf('scanned')]), scan(1, code, [])])
  const { scanPresence } = await sites.script(site, 'scanned')
  expect(scanPresence).toMatchObject({ foundOn: [page.id] })
  expect(scanPresence.goneFrom).toHaveLength(isGone ? 1 : 0)
})

test('a page that is imported as no payment page any more is none, for browsers and for scans', async () => {
  const site = await sites.create()
  const left = paymentPage(site, 'https://shop.example.test/left')
  const stays = paymentPage(site, 'https://shop.example.test/stays')
  await sites.api.importRecords(site.tenantId, monitoredPages, [left, stays])
  await sites.api.insertReports([
    sighting(site, 'a', 1, { documentUrl: left.pattern }),
    sighting(site, 'b', 1, { documentUrl: stays.pattern }),
  ])
  const scripts = [scannedScript(urlOf('c'), fetches.readable)]
  await sites.api.importRecords(site.tenantId, scans, [
    completeScan({ id: crypto.randomUUID(), pageId: left.id, scannedAt: daysAgo(1), scripts }),
  ])
  const onPayment = async () => {
    const { data } = await sites.list(site, { pageScope: 'payment' })
    return data.map(({ url }) => url).sort()
  }
  expect(await onPayment()).toEqual(['a', 'b', 'c'].map(urlOf))
  await sites.api.importRecords(site.tenantId, monitoredPages, [{ ...left, kind: 'other' }])
  expect(await onPayment()).toEqual([urlOf('b')])
})
