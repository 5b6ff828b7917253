import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { monitoredPages } from '../../../app/import/records/types/monitored-pages.ts'
import { scans } from '../../../app/import/records/types/scans.ts'
import { scriptDecisions } from '../../../app/import/records/types/script-decisions.ts'
import { fetches, scannedScript } from '../../../fixtures/scanned-scripts.ts'
import { completeScan } from '../../../fixtures/scans.ts'
import { dayMs } from '../../../schema/durations.ts'
import { scriptId } from '../../../schema/rules/scripts/script-id.ts'
import { startApi } from '../../support/api.ts'
import {
  daysAgo,
  decision,
  hashed,
  hashOf,
  paymentPage,
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

test('a script ranks by when its last new hash was seen, even after its reports expired', async () => {
  const site = await sites.create()
  const seen = [800, 400, 1].map((days, index) =>
    sighting(site, 'a', days, { ...hashed(index % 2), retentionDays: 3_000 }),
  )
  await sites.api.insertReports(seen)
  const script = await sites.script(site, 'a')
  expect(script).toMatchObject({ firstSeenAt: daysAgo(800), lastNewHashAt: daysAgo(400), lastSeenAt: daysAgo(1) })
  expect(script.hashes).toMatchObject([
    { hash: hashOf(0), firstSeenAt: daysAgo(800), lastSeenAt: daysAgo(1) },
    { hash: hashOf(1), firstSeenAt: daysAgo(400), lastSeenAt: daysAgo(400) },
  ])
})

test('a script that left every page long before retention is listed, and not in the evidence of PCI DSS', async () => {
  const site = await sites.create()
  await sites.api.importRecords(site.tenantId, monitoredPages, [paymentPage(site, 'https://shop.example.test/pay')])
  const onPayment = { documentUrl: 'https://shop.example.test/pay' }
  await sites.api.insertReports([sighting(site, 'left', 400, onPayment), sighting(site, 'new', 1, onPayment)])
  const { data, rest } = await sites.list(site)
  expect(data.map(({ url, lastSeenAt }) => [url, lastSeenAt])).toEqual([
    [urlOf('new'), daysAgo(1)],
    [urlOf('left'), daysAgo(400)],
  ])
  expect(rest).toMatchObject({ truncated: false, counts: { identification: { unhashed: 2 } } })
  expect(await sites.script(site, 'left')).toMatchObject({ activity: null, coverage: { state: 'unknown' } })
  const { body } = await sites.api.get(`/v1/compliance/pci-dss?siteId=${site.siteId}`, { key: site.key })
  expect(body.data.evidence.scripts).toMatchObject([{ url: urlOf('new') }])
})

test('a read returns 1,000 scripts, decided ones and then those seen first; the others can be read one by one', async () => {
  const site = await sites.create()
  const minute = 1 / 1_440
  await sites.api.insertReports(Array.from({ length: 1_003 }, (_, index) => sighting(site, index, 1 + index * minute)))
  const violation = { reportType: 'integrity-violation', disposition: 'report' } as const
  await sites.api.insertReports(['1002', '0', 'unknown'].map((name) => sighting(site, name, 1, violation)))
  await sites.api.importRecords(site.tenantId, scriptDecisions, [decision(site, '0', 1)])
  const { data, rest } = await sites.list(site, { limit: 400 })
  expect(data.map(({ url }) => url)).toEqual([0, ...Array.from({ length: 999 }, (_, index) => index + 4)].map(urlOf))
  expect(rest).toMatchObject({
    truncated: true,
    coverage: {
      reporting: true,
      protected: 998,
      unprotected: 2,
      unknown: 0,
      uninventoried: [{ url: urlOf('unknown') }],
    },
    counts: { identification: { unhashed: 1_000 } },
  })
  for (const name of [0, 1, 1_002]) {
    const path = `/v1/sites/${site.siteId}/scripts/${scriptId(site.siteId, urlOf(name))}`
    const { status, body } = await sites.api.get(path, { key: site.key })
    expect(status).toBe(200)
    expect(body.data).toMatchObject({ url: urlOf(name), activity: { reportCount: 1 } })
    expect(body.data.coverage.state).toBe(name === 1 ? 'protected' : 'unprotected')
  }
})

test('a thousand invented scripts take no decided or scanned one from the inventory or the verdict', async () => {
  const site = await sites.create()
  const page = paymentPage(site, 'https://shop.example.test/pay')
  await sites.api.importRecords(site.tenantId, monitoredPages, [page])
  const onPayment = { documentUrl: 'https://shop.example.test/pay' }
  const names = ['good', 'other', 'bad']
  await sites.api.insertReports(names.map((name) => sighting(site, name, 2, onPayment)))
  await sites.api.importRecords(site.tenantId, scriptDecisions, [
    ...names.slice(0, 2).map((name) => decision(site, name, 3)),
    decision(site, 'bad', 3, { status: 'rejected', integrityMode: null }),
  ])
  const tag = scannedScript(urlOf('scanned'), fetches.readable, { release: 1 })
  const scan = completeScan({ id: randomUUID(), pageId: page.id, scannedAt: daysAgo(2), scripts: [tag] })
  await sites.api.importRecords(site.tenantId, scans, [scan])
  const verdict = async () => {
    const { body } = await sites.api.get(`/v1/compliance/pci-dss?siteId=${site.siteId}`, { key: site.key })
    const [{ facts, gaps }] = body.data.requirements
    return { decided: [facts.authorized, facts.rejected], gaps: gaps.map(({ kind }: { kind: string }) => kind) }
  }
  const before = await verdict()
  const gaps = ['unreviewed_scripts', 'rejected_scripts_running', 'integrity_unmeasured', 'unpinned_scripts']
  expect(before).toEqual({ decided: [2, 1], gaps })
  await sites.api.insertReports(Array.from({ length: 1_005 }, (_, index) => sighting(site, index, 1, onPayment)))
  expect(await verdict()).toEqual({ decided: [2, 1], gaps: ['inventory_truncated', ...gaps] })
  const { data, rest } = await sites.list(site)
  expect([data.length, rest.truncated]).toEqual([1_000, true])
  expect(data.map(({ url }) => url)).toEqual(expect.arrayContaining([...names, 'scanned'].map(urlOf)))
  // Of a clock that is after the site's creation.
  const api = await startApi()
  const report = await api.get(`/v1/compliance/pci-dss/report?siteId=${site.siteId}`, { key: site.key })
  const seenBy = Object.fromEntries(
    report.body.data.observed.scripts.map((script: { url: string; seenBy: string[] }) => [script.url, script.seenBy]),
  )
  expect([seenBy[urlOf('scanned')], seenBy[urlOf('good')]]).toEqual([['scan'], ['browsers']])
  expect(report.body.data.limits.filter((limit: string) => limit.includes('browsers alone reported 999'))).toHaveLength(
    1,
  )
  await api.close()
})

test('one read returns at most 1,000 scripts', async () => {
  const site = await sites.create()
  await sites.api.insertReports(Array.from({ length: 1_000 }, (_, index) => sighting(site, index, 1)))
  const { data, rest } = await sites.list(site)
  expect([data.length, rest.truncated]).toEqual([1_000, false])
})

test('of over 1,000 scripts that the inventory lacks, those of payment pages come first', async () => {
  const site = await sites.create()
  await sites.api.importRecords(site.tenantId, monitoredPages, [paymentPage(site, 'https://shop.example.test/pay/*')])
  const violation = { reportType: 'integrity-violation', disposition: 'report' } as const
  const minute = 1 / 1_440
  await sites.api.insertReports([
    ...[1, 2, 3].map((index) => sighting(site, `known${index}`, 3)),
    sighting(site, 'skimmer', 2, { ...violation, documentUrl: 'https://shop.example.test/pay/1' }),
    ...Array.from({ length: 1_001 }, (_, index) =>
      sighting(site, index, 1 + index * minute, { ...violation, documentUrl: 'https://shop.example.test/' }),
    ),
  ])
  const listed = async (pageScope: string) => {
    const { rest } = await sites.list(site, { pageScope })
    return (rest.coverage as { uninventoried: { url: string }[] }).uninventoried.map(({ url }) => url)
  }
  expect(await listed('payment')).toEqual([urlOf('skimmer')])
  expect(await listed('any')).toEqual([...Array.from({ length: 999 }, (_, index) => urlOf(index)), urlOf('skimmer')])
  const { body } = await sites.api.get(`/v1/compliance/pci-dss?siteId=${site.siteId}`, { key: site.key })
  expect(body.data.requirements[0].facts.integrity.unprotected).toBe(1)
})

test('activity lists the last 50 hashes as they were written, and a script its last 200 versions', async () => {
  const site = await sites.create()
  const minute = 1 / 1_440
  const hex = (index: number) => Buffer.from(hashOf(index).slice(7), 'base64').toString('hex')
  await sites.api.insertReports(
    Array.from({ length: 205 }, (_, index) =>
      sighting(site, 'a', 1 + index * minute, { scriptHash: hashOf(index), reportedHash: hex(index) }),
    ),
  )
  const { activity, hashes, hashesTruncated, lastNewHashAt, lastSeenAt } = await sites.script(site, 'a')
  expect(activity.hashes).toEqual(Array.from({ length: 50 }, (_, index) => hex(index)))
  expect(hashes.map(({ hash }: { hash: string }) => hash)).toEqual(
    Array.from({ length: 200 }, (_, index) => hashOf(index)),
  )
  expect([hashesTruncated, lastNewHashAt]).toEqual([true, lastSeenAt])
})

test('versions beyond 200 that the current authorization pins are shown too, listed by it or not', async () => {
  const site = await sites.create()
  const minute = 1 / 1_440
  const [unlisted, listed, any] = ['unlisted', 'listed', 'any']
  await sites.api.insertReports(
    [unlisted, listed, any].flatMap((name) =>
      Array.from({ length: 206 }, (_, index) => sighting(site, name, 1 + index * minute, hashed(index))),
    ),
  )
  const pinning = { integrityMode: 'pinned_hashes' }
  await sites.api.importRecords(site.tenantId, scriptDecisions, [
    decision(site, unlisted, 1 + 203 * minute, pinning),
    decision(site, listed, 3, { ...pinning, pinnedHashes: [201, 202].map(hashOf) }),
    decision(site, listed, 2, { ...pinning, pinnedHashes: [1, 205].map(hashOf).concat(hashOf('never seen')) }),
    decision(site, any, 2, pinning),
    decision(site, any, 1),
  ])
  const last = Array.from({ length: 200 }, (_, index) => index)
  for (const [name, shown, pinned] of [
    [unlisted, [...last, 203, 204, 205], [203, 204, 205]],
    [listed, [...last, 205], [1, 205]],
    [any, last, []],
  ] as const) {
    const script = await sites.script(site, name)
    const hashes: { hash: string; pinned: boolean }[] = script.hashes
    expect(hashes.map(({ hash }) => hash)).toEqual(shown.map(hashOf))
    expect(hashes.filter((one) => one.pinned).map(({ hash }) => hash)).toEqual(pinned.map(hashOf))
    expect(script.hashesTruncated).toBe(true)
  }
})

test('an authorization without a list pins the hashes seen up to its own time, and shows 200 versions whole', async () => {
  const site = await sites.create()
  const millisecond = 1 / dayMs
  await sites.api.insertReports([
    ...[-1, 0, 1].map((later) => sighting(site, 'a', 1 - later * millisecond, hashed(later))),
    ...Array.from({ length: 197 }, (_, index) => sighting(site, 'a', 0.5, hashed(`new ${index}`))),
  ])
  const authorization = decision(site, 'a', 1, { integrityMode: 'pinned_hashes' })
  await sites.api.importRecords(site.tenantId, scriptDecisions, [authorization])
  const { hashes, hashesTruncated } = await sites.script(site, 'a')
  const pinned = hashes.filter((one: { pinned: boolean }) => one.pinned).map(({ hash }: { hash: string }) => hash)
  expect(pinned).toEqual([0, -1].map(hashOf))
  expect([hashes.length, hashesTruncated]).toEqual([200, false])
})

describe('a script', () => {
  test('that does not exist, or is another site’s or tenant’s, is not found', async () => {
    const [site, other] = [await sites.create(), await sites.create()]
    await sites.api.insertReports([sighting(site, 'a', 1), sighting(other, 'a', 1)])
    const { id } = await sites.script(site, 'a')
    const otherSite = await sites.api.createSite(site.tenantId)
    for (const [siteId, scriptId] of [
      [site.siteId, crypto.randomUUID()],
      [otherSite, id],
      [site.siteId, (await sites.script(other, 'a')).id],
      [other.siteId, id],
    ]) {
      const { status, body } = await sites.api.get(`/v1/sites/${siteId}/scripts/${scriptId}`, { key: site.key })
      expect({ status, code: body.error?.code }).toEqual({ status: 404, code: 'not_found' })
    }
  })

  test('is found by its id in capitals', async () => {
    const site = await sites.create()
    await sites.api.insertReports([sighting(site, 'a', 1)])
    const { id } = await sites.script(site, 'a')
    const { status } = await sites.api.get(`/v1/sites/${site.siteId}/scripts/${id.toUpperCase()}`, { key: site.key })
    expect(status).toBe(200)
  })
})
