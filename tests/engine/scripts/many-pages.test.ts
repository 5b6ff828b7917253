import { afterAll, beforeAll, expect, test } from 'vitest'
import { monitoredPages } from '../../../app/import/records/types/monitored-pages.ts'
import { pageMatch } from '../../../schema/rules/scans/page-pattern.ts'
import { paymentPage, type ScriptSites, sighting, startScriptSites, urlOf } from '../../support/script-sites.ts'

let sites: ScriptSites

beforeAll(async () => {
  sites = await startScriptSites()
})
afterAll(() => sites?.api.close())

const shop = 'https://shop.example.test'

/**
 * Makes a site with payment pages of some patterns, and one script that browsers reported on some other pages.
 * @returns the patterns that it is found under by the verdict, by script, and the script of the name 0.
 */
async function findScripts(patterns: readonly string[], reported: readonly (readonly [name: number, path: string])[]) {
  const site = await sites.create()
  const pages = patterns.map((path) => ({ ...paymentPage(site, shop + path), label: path.slice(0, 200) }))
  await sites.api.importRecords(site.tenantId, monitoredPages, pages)
  await sites.api.insertReports(reported.map(([name, path]) => sighting(site, name, 1, { documentUrl: shop + path })))
  const { body } = await sites.api.get(`/v1/compliance/pci-dss?siteId=${site.siteId}`, { key: site.key })
  const scripts: { url: string; paymentPages: { label: string }[] }[] = body.data.evidence.scripts
  return {
    script: await sites.script(site, 0),
    foundUnder: new Map(scripts.map(({ url, paymentPages }) => [url, paymentPages.map(({ label }) => label)])),
  }
}

test('8,000 payment pages are compared within the deadline, with and without wildcards', async () => {
  const patterns = Array.from({ length: 8_000 }, (_, index) => `/pay/${index}${index % 20 === 0 ? '/*' : ''}`)
  // The last two are no payment page: a rest behind an exact pattern, and two segments for one.
  const paths = ['/pay/1', '/pay/7999', '/pay/20/', '/pay/40/card', '/pay/1/card', '/pay/20/a/b']
  const found = await findScripts(
    patterns,
    paths.map((path) => [0, path]),
  )
  expect(found.script.activity).toMatchObject({ pageCount: 6, paymentPageCount: 4 })
  expect(found.foundUnder.get(urlOf(0))).toEqual(['/pay/1', '/pay/20/*', '/pay/40/*', '/pay/7999'])
})

test('hundreds of patterns almost as long as patterns can be are compared too', async () => {
  const patterns = Array.from({ length: 400 }, (_, index) => `/${index}/`.padEnd(100, 'pay/.').padEnd(1_800, 'a'))
  const [first = '', last = ''] = [patterns[0], patterns[399]]
  const found = await findScripts(patterns, [
    [0, first],
    [0, last],
    [0, '/1/'],
  ])
  expect(found.script.activity).toMatchObject({ pageCount: 3, paymentPageCount: 2 })
  expect(found.foundUnder.get(urlOf(0))).toEqual([first.slice(0, 200), last.slice(0, 200)])
})

test('ClickHouse matches a pattern as the rest of the API does', async () => {
  const patterns = ['/', '/a', '/a*', '/a/*', '/a/*/c', '/*/a*b/*', '/a/**', '/**', '/*/b/**', '/a.b+(c)[d]$']
  const paths = ['/', '/a', '/a1', '/a/', '/a/b', '/a/b/', '/a/b/c', '/1/ab/2', '/axb', '/a.b+(c)[d]$', '/axb+(c)[d]$']
  const { foundUnder } = await findScripts(
    patterns,
    paths.map((path, name) => [name, path]),
  )
  paths.forEach((path, name) => {
    const takes = patterns.filter((pattern) => new RegExp(pageMatch(shop + pattern).expression, 'u').test(shop + path))
    expect([path, foundUnder.get(urlOf(name))]).toEqual([path, takes])
  })
})
