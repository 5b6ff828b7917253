import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { monitoredPages } from '../../../app/import/records/types/monitored-pages.ts'
import { scriptId } from '../../../queries/rules/scripts/script-id.ts'
import {
  daysAgo,
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

test('a read returns the last seen 1,000 scripts; the others can be read one by one', async () => {
  const site = await sites.create()
  const minute = 1 / 1_440
  await sites.api.insertReports(Array.from({ length: 1_003 }, (_, index) => sighting(site, index, 1 + index * minute)))
  const violation = { reportType: 'integrity-violation', disposition: 'report' } as const
  await sites.api.insertReports(['1002', '0', 'unknown'].map((name) => sighting(site, name, 1, violation)))
  const { data, rest } = await sites.list(site, { limit: 400 })
  expect(data.map(({ url }) => url)).toEqual(Array.from({ length: 1_000 }, (_, index) => urlOf(index)))
  expect(rest).toMatchObject({
    truncated: true,
    coverage: {
      reporting: true,
      protected: 999,
      unprotected: 1,
      unknown: 0,
      uninventoried: [{ url: urlOf('unknown') }],
    },
    counts: { identification: { unhashed: 1_000 } },
  })
  for (const name of [0, 1_001, 1_002]) {
    const path = `/v1/sites/${site.siteId}/scripts/${scriptId(site.siteId, urlOf(name))}`
    const { status, body } = await sites.api.get(path, { key: site.key })
    expect(status).toBe(200)
    expect(body.data).toMatchObject({ url: urlOf(name), activity: { reportCount: 1 } })
    expect(body.data.coverage.state).toBe(name === 1_001 ? 'protected' : 'unprotected')
  }
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
  const { activity, hashes, lastNewHashAt, lastSeenAt } = await sites.script(site, 'a')
  expect(activity.hashes).toEqual(Array.from({ length: 50 }, (_, index) => hex(index)))
  expect(hashes.map(({ hash }: { hash: string }) => hash)).toEqual(
    Array.from({ length: 200 }, (_, index) => hashOf(index)),
  )
  expect(lastNewHashAt).toBe(lastSeenAt)
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
