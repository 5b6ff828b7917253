import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { monitoredPages } from '../../../app/import/records/types/monitored-pages.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import { commandsOn } from '../../support/cli-commands.ts'
import type { TestKey } from '../../support/tenants.ts'
import { startWebServer, type WebServer } from '../../support/web-server.ts'

const { run, done, refused, makeTenant } = commandsOn(
  () => inject('servers').writeUrl,
  {},
  { OUTBOUND_ALLOWED: '127.0.0.1:*' },
)

let api: TestApi
let web: WebServer
let tenantId: string
let siteId: string
let key: TestKey
let site: readonly string[]

beforeAll(async () => {
  api = await startApi()
  web = await startWebServer((_request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html' }).end('<!doctype html><script src="/a.js"></script>')
  })
  tenantId = await makeTenant()
  siteId = await api.createSite(tenantId, { hosts: ['shop.example.com'] })
  key = await api.createKey(tenantId)
  site = ['--tenant', tenantId, '--site', siteId]
})

afterAll(() => Promise.all([api?.close(), web?.close()]))

const add = async (...words: string[]) => (await done('pages', 'add', ...site, ...words)).response
const get = (path: string) => api.get(path, { key })

describe('pages add', () => {
  test('takes pattern and label from the URL, and puts the page behind the others', async () => {
    const first = await add('--url', 'https://shop.example.com/order/1?scan=1')
    expect(first).toMatchObject({ siteId, kind: 'other', label: 'shop.example.com/order/1', position: 0 })
    expect(first.pattern).toBe('https://shop.example.com/order/1')
    const given = ['--kind', 'payment', '--label', 'Orders', '--pattern', 'https://shop.example.com/order/*']
    const second = await add('--url', 'https://shop.example.com/order/1?scan=1', ...given)
    const pattern = 'https://shop.example.com/order/*'
    expect(second).toMatchObject({ kind: 'payment', label: 'Orders', pattern, position: 1 })
    const { response } = await done('pages', 'list', ...site)
    expect(response.pages).toEqual([first, second].map((page) => ({ ...page, latestScan: null })))
  })

  test.each([
    [['--url', 'shop.example.com'], /^--url must be an http or https URL such as .*, not "shop.example.com"$/],
    [
      ['--url', 'https://bücher.test/zahlen/ü?a=é'],
      / ASCII .*: https:\/\/xn--bcher-kva\.test\/zahlen\/%C3%BC\?a=%C3%A9, not /,
    ],
    [['--url', 'https://a.test/pay#card'], /^--url must have no fragment \(#\), not /],
    [['--url', 'https://ada:pw@a.test/'], /^--url must have no user or password, not /],
    [['--url', 'https://a.test:99999/'], /^--url must have a port from 1 to 65535, not /],
    [['--url', `https://a.test/${'a'.repeat(3_000)}`], /^--url must have at most 2048 characters, not 3015$/],
    [['--url', `https://a.test/#${'a'.repeat(1_000)}`], /^--url must have no fragment.{0,240}$/],
    [['--url', 'https://a.test/', '--kind', 'login'], /^--kind must be payment .* or other, not "login"$/],
    [['--url', 'https://a.test/', '--pattern', 'a.test/*'], /^--pattern must be scheme:\/\/host\/path with .*$/],
    [['--url', 'https://a.test/', '--pattern', 'https://a.test/?b'], /^--pattern must have no query or fragment, not /],
    [
      ['--url', 'https://a.test/pay?b', '--pattern', 'https://a.test/order/*'],
      /^--pattern does not match the page of --url, "https:\/\/a\.test\/pay"$/,
    ],
  ])('refuses %j', async (words, line) => {
    expect(await refused('pages', 'add', ...site, ...words)).toMatch(line)
  })

  test('refuses a site of another tenant, and says where the plan scans no page', async () => {
    const other = await api.createTenant({ plan: 'team' })
    expect(await refused('pages', 'add', '--tenant', other, '--site', siteId, '--url', 'https://a.test/')).toBe(
      `The tenant has no site ${siteId}`,
    )
    const of = ['--tenant', other, '--site', await api.createSite(other)]
    const { stderr, response } = await done('pages', 'add', ...of, '--url', 'https://a.test/')
    expect(stderr).toBe('The team plan does not include scans: "pages scan" and the worker skip the page\n')
    expect(await refused('pages', 'scan', '--tenant', other, '--page', response.id)).toBe(
      'The team plan does not include scans: change it with "tenants update"',
    )
  })
})

describe('pages scan and remove', () => {
  test('a failed scan is printed with exit code 1, and names the setting that opens the host', async () => {
    const { id } = await add('--url', 'http://router.lan:8081/')
    const { code, stdout } = await run(['pages', 'scan', '--tenant', tenantId, '--page', id])
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({ pageId: id, failureReason: 'not_allowed', consecutiveFailures: 1 })
    expect(JSON.parse(stdout).failureMessage).toContain('OUTBOUND_ALLOWED=router.lan:8081')
  })

  test('a removed page is in no list, verdict or schedule, its scans stay, and an import brings it back', async () => {
    const { siteId: _, ...page } = await add('--url', `${web.origin}/pay`, '--kind', 'payment')
    const pageOf = ['--tenant', tenantId, '--page', page.id]
    const { response } = await done('pages', 'scan', ...pageOf)
    const scanPath = `/v1/sites/${siteId}/pages/${page.id}/scans/${response.id}`
    const verdict = async () => (await get(`/v1/compliance/pci-dss?siteId=${siteId}`)).body.data.evidence
    const ids = async () =>
      (await get(`/v1/sites/${siteId}/pages`)).body.data.map(({ id }: { readonly id: string }) => id)
    const scripts = async () => (await get(`/v1/sites/${siteId}/scripts`)).body.data
    const idsOfVerdict = async () => (await verdict()).pages.map(({ id }: { readonly id: string }) => id)
    const before = { ids: await ids(), verdict: await verdict(), scripts: await scripts() }
    expect(before.ids).toContain(page.id)
    expect(before.scripts).toMatchObject([{ url: `${web.origin}/a.js` }])

    expect((await done('pages', 'remove', ...pageOf)).response).toEqual({ id: page.id, removed: true })
    expect(await done('pages', 'remove', ...pageOf)).toEqual({
      response: { id: page.id, removed: true },
      stderr: `The page ${page.id} is already removed; restore it with "import pages"\n`,
    })
    expect(await ids()).toEqual(before.ids.filter((id: string) => id !== page.id))
    expect(await idsOfVerdict()).not.toContain(page.id)
    expect(await scripts()).toEqual([])
    expect(await refused('pages', 'scan', ...pageOf)).toBe(
      `The tenant has no page ${page.id} with a URL to scan: see "pages list"`,
    )
    expect((await get(scanPath)).body).toEqual({ data: response })
    expect((await get(`/v1/sites/${siteId}/pages/${page.id}/scans`)).body.data).toHaveLength(1)

    await api.importRecords(tenantId, monitoredPages, [{ ...page, siteId }])
    expect({ ids: await ids(), scripts: await scripts() }).toEqual({ ids: before.ids, scripts: before.scripts })
    expect((await verdict()).pages).toEqual(before.verdict.pages)
  })

  test('a page that is no page of the tenant is refused', async () => {
    const unknown = randomUUID()
    const other = await makeTenant()
    expect(await refused('pages', 'remove', '--tenant', other, '--page', unknown)).toBe(
      `The tenant has no page ${unknown}`,
    )
  })
})
