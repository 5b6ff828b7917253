/** @module Lookups of public libraries, from the scripts that claim them to what the API shows and alerts say. */

import { randomUUID } from 'node:crypto'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HttpResponse } from 'msw'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { readConfig } from '../../../app/config.ts'
import { libraryAdvisories } from '../../../app/import/records/types/library-advisories.ts'
import { scans } from '../../../app/import/records/types/scans.ts'
import { scriptDecisions } from '../../../app/import/records/types/script-decisions.ts'
import { lastDigestAt } from '../../../app/worker/alerts/watch/make-digests.ts'
import { createLibraryPass, type LibraryLoop } from '../../../app/worker/libraries/run-libraries.ts'
import { sourceSettings } from '../../../app/worker/libraries/source-request.ts'
import { aReport } from '../../../fixtures/reports.ts'
import { fetches, scannedScript } from '../../../fixtures/scanned-scripts.ts'
import { completeScan } from '../../../fixtures/scans.ts'
import type { Database } from '../../../queries/clickhouse/database.ts'
import { dayMs, hourMs, minuteMs } from '../../../schema/durations.ts'
import type { Script } from '../../../schema/responses/script.ts'
import { type AlertWorld, createAlertWorld } from '../../support/alert-world.ts'
import { queryRows } from '../../support/database.ts'
import { hashOf, playLibrarySources } from '../../support/library-sources.ts'
import { startOwnWorker } from '../../support/own-worker.ts'

const played = playLibrarySources()

let world: AlertWorld

beforeAll(async () => {
  world = await createAlertWorld()
})
beforeEach(() => {
  played.requests.length = 0
  played.fault = undefined
  played.packages = packages
})
afterEach(async () => {
  await world.forgetRules()
  for (const table of ['library_files', 'library_advisories', 'page_scans', 'script_decisions', 'alerts']) {
    await world.database.writer.command(`TRUNCATE TABLE ${table}`)
  }
})
afterAll(() => world?.close())

/** Four days ago: imports reject later times. */
const start = Date.now() - 4 * dayMs

const bytes = 'jquery 3.4.1'
const packages = {
  'jquery@3.4.1': {
    'dist/jquery.min.js': bytes,
    'dist/jquery.js': 'long',
    'LICENSE.txt': 'MIT',
    'src/same.js': 'same',
  },
  'jquery@3.5.0': { 'dist/jquery.min.js': 'jquery 3.5.0', 'src/same.js': 'same' },
  'jquery-ui-dist@1.12.1': { 'external/jquery/jquery.js': 'long', 'jquery-ui.js': 'ui' },
}

type Shop = Awaited<ReturnType<AlertWorld['createShop']>>

const url = (version: string, network = 'https://cdn.jsdelivr.net/npm/jquery@') =>
  `${network}${version}/dist/jquery.min.js`

/** A scan of the shop's payment page, with the bytes of each script. */
const scanned = (shop: Shop, found: Readonly<Record<string, string>>, time = start - minuteMs) =>
  world.api.importRecords(shop.tenantId, scans, [
    completeScan({
      id: randomUUID(),
      pageId: shop.pageId,
      scannedAt: new Date(time).toISOString(),
      scripts: Object.entries(found).map(([src, text]) => ({
        ...scannedScript(src, fetches.readable),
        hash: hashOf(text),
      })),
    }),
  ])

/** Hashes that browsers reported. */
const reported = (shop: Shop, found: Readonly<Record<string, string>>) =>
  world.api.insertReports(
    Object.entries(found).map(([scriptUrl, text]) => {
      const hashes = { scriptHash: hashOf(text), reportedHash: hashOf(text) }
      const of = { tenantId: shop.tenantId, siteId: shop.siteId, reportType: 'csp-hash' as const, scriptUrl, ...hashes }
      return aReport({ ...of, id: randomUUID(), receivedAt: Date.now() - minuteMs })
    }),
  )

const logged: string[] = []

function createPass({ now = () => new Date(start), ...given }: Partial<LibraryLoop> & { now?: () => Date } = {}) {
  const config = readConfig({ SCAN_USER_AGENT: 'SecurityReporting/1 (+mailto:ops@shop.test)' })
  const { signal } = new AbortController()
  const log = pino({ level: 'debug' }, { write: (line: string) => void logged.push(line) })
  const database = world.database.writer
  return createLibraryPass({
    database,
    log,
    stopping: signal,
    cut: signal,
    lookEveryMs: 0,
    lease: {},
    sources: config.LIBRARY_SOURCES,
    settings: sourceSettings(config, now),
    ...given,
  })
}

const lookUp = (given?: Parameters<typeof createPass>[0]) => createPass(given)(async () => {})

const requested = () =>
  played.requests.map(({ url: of, body }) =>
    of.startsWith('https://api.osv.dev/')
      ? `osv ${JSON.parse(body).package.name}`
      : of.split('/npm/')[1]?.split('?')[0],
  )

async function scriptOf(shop: Shop, scriptUrl: string): Promise<Script | undefined> {
  const { body } = await world.api.get(`/v1/sites/${shop.siteId}/scripts?limit=1000`, { key: shop.key })
  return body.data.find((one: Script) => one.url === scriptUrl)
}

test('a claimed library is identified by its bytes, with the advisories of its version and the hash of the fix', async () => {
  const shop = await world.createShop()
  const [renamed, altered] = [
    'https://shop.example.test/js/moment-2.29.4.min.js',
    url('3.4.1', 'https://unpkg.com/jquery@'),
  ]
  await scanned(shop, {
    [url('3.4.1')]: bytes,
    [renamed]: bytes,
    [altered]: 'altered',
    'https://shop.example.test/a.js': bytes,
  })
  await lookUp()
  expect(requested()).toEqual(['jquery@3.4.1', 'osv jquery', 'jquery@3.5.0'])
  expect(played.requests).toMatchObject([
    {
      method: 'GET',
      body: '',
      userAgent: 'SecurityReporting/1 (+mailto:ops@shop.test)',
      url: 'https://data.jsdelivr.com/v1/packages/npm/jquery@3.4.1?structure=flat',
    },
    { method: 'POST', url: 'https://api.osv.dev/v1/query', body: '{"package":{"name":"jquery","ecosystem":"npm"}}' },
    { method: 'GET' },
  ])
  const library = { name: 'jquery', version: '3.4.1', path: 'dist/jquery.min.js' }
  const item = {
    id: 'GHSA-gxr4-xjj5-5px2',
    aliases: ['CVE-2020-11022'],
    severity: 'medium',
    fixedIn: '3.5.0',
    catalog: 'npm',
    url: 'https://osv.dev/vulnerability/GHSA-gxr4-xjj5-5px2',
    modifiedAt: '2026-03-04T05:06:07.123Z',
  }
  expect(await scriptOf(shop, url('3.4.1'))).toMatchObject({
    identification: { state: 'identified', package: library, catalog: 'npm', claimed: null },
    advisories: { state: 'affected', severity: 'medium', items: [item] },
  })
  expect(await scriptOf(shop, 'https://shop.example.test/a.js')).toMatchObject({
    identification: { state: 'identified', package: library },
    advisories: { state: 'affected' },
  })
  expect(await scriptOf(shop, renamed)).toMatchObject({
    identification: { state: 'name_mismatch', package: library, claimed: { name: 'moment', version: '2.29.4' } },
  })
  expect(await scriptOf(shop, altered)).toMatchObject({
    identification: { state: 'unrecognised', claimed: null },
    advisories: { state: 'not_assessed' },
  })
  await lookUp()
  await lookUp({ now: () => new Date(start + 23 * hourMs) })
  expect(played.requests).toHaveLength(3)
  await lookUp({ now: () => new Date(start + 25 * hourMs) })
  expect(requested().slice(3)).toEqual(['osv jquery'])
  const files = await queryRows(world.database.writer, 'SELECT release, path FROM library_files FINAL ORDER BY ALL')
  expect(files).toEqual([
    ['3.4.1', 'dist/jquery.js'],
    ['3.4.1', 'dist/jquery.min.js'],
    ['3.4.1', 'src/same.js'],
    ['3.5.0', 'dist/jquery.min.js'],
  ])
})

test('only names and versions of public libraries of scripts that a scan found or a decision names leave', async () => {
  const [shop, team] = [await world.createShop(), await world.createShop()]
  await world.api.createTenant({ plan: 'team' })
  await world.database.writer.command(`INSERT INTO tenants (id, name, plan, created_at)
    SELECT id, name, 'team', created_at FROM tenants FINAL WHERE id = '${team.tenantId}'`)
  await scanned(team, { [url('1.0.1', 'https://unpkg.com/of-another-plan@')]: 'x' })
  await scanned(shop, {
    [url('3.4.1')]: bytes,
    'https://ajax.googleapis.com/ajax/libs/angularjs/1.8.2/angular.min.js?token=secret': 'x',
    'https://code.jquery.com/ui/1.12.1/jquery-ui.min.js#secret': 'x',
    'https://cdnjs.cloudflare.com/ajax/libs/twitter-bootstrap/4.3.1/js/bootstrap.min.js': 'x',
    'https://unpkg.com/@scope/thing@1.0.0/secret/path.js': 'x',
    'https://cdn.jsdelivr.net/npm/vue@3': 'x',
    'https://cdn.jsdelivr.net/gh/secret-org/secret-repository@1.0.0/x.js': 'x',
    'https://intranet.corp.test/secret-billing-1.2.3.min.js': 'x',
    'https://unpkg.com.intranet.corp.test/secret-host@1.2.3/x.js': 'x',
    'https://secret-user@static.corp.test/npm/secret-npm@1.2.3/x.js': 'x',
    'https://unpkg.com/..%2f..%2fsecret@1.2.3/x.js': 'x',
  })
  await scanned(shop, { [url('0.0.1', 'https://unpkg.com/of-last-month@')]: 'x' }, start - 30 * dayMs)
  await reported(shop, { [url('1.0.0', 'https://unpkg.com/forged-name@')]: 'x' })
  await world.api.importRecords(shop.tenantId, scriptDecisions, [
    {
      id: randomUUID(),
      siteId: shop.siteId,
      url: url('4.17.21', 'https://unpkg.com/lodash@'),
      status: 'rejected',
      integrityMode: null,
      justification: 'No',
      decidedBy: { name: null, email: 'ada@shop.test' },
      decidedAt: new Date().toISOString(),
    },
  ])
  await lookUp()
  expect(requested().sort()).toEqual([
    ...['@scope/thing@1.0.0', 'angular@1.8.2', 'bootstrap@4.3.1', 'jquery-ui@1.12.1', 'jquery@3.4.1', 'jquery@3.5.0'],
    ...['lodash@4.17.21', 'osv @scope/thing', 'osv angular', 'osv bootstrap', 'osv jquery', 'osv jquery-ui'],
    ...['osv lodash', 'osv vue'],
  ])
  const sent = played.requests.map((request) => Object.values(request).join(' ')).join('\n')
  expect(sent).not.toMatch(/secret|forged|corp|of-another-plan|of-last-month|sha256/)
  for (const { url: of } of played.requests) expect(of).toMatch(/^https:\/\/(data\.jsdelivr\.com|api\.osv\.dev)\//)
})

test('nothing is requested without a source, a plan or a claim', async () => {
  const shop = await world.createShop()
  await scanned(shop, { [url('3.4.1')]: bytes })
  const { LIBRARY_SOURCES: sources } = readConfig({ LIBRARY_SOURCES: '' })
  expect(sources).toEqual([])
  await lookUp({ sources })
  await lookUp({ capturesOf: () => false })
  expect(played.requests).toEqual([])
  await lookUp({ sources: ['osv'] })
  expect(requested()).toEqual(['osv jquery'])
})

test('4,000 versions of one library cost one request for advisories, and 1,000 requests for files per day', async () => {
  const shop = await world.createShop()
  const versions = Array.from({ length: 4_000 }, (_, index) => `9.${Math.floor(index / 100)}.${index % 100}`)
  await world.api.importRecords(
    shop.tenantId,
    scriptDecisions,
    versions.map((version) => ({
      id: randomUUID(),
      siteId: shop.siteId,
      url: url(version),
      status: 'rejected',
      integrityMode: null,
      justification: 'No',
      decidedBy: { name: null, email: 'ada@shop.test' },
      decidedAt: new Date().toISOString(),
    })),
  )
  played.packages = Object.fromEntries(versions.map((version) => [`jquery@${version}`, { 'LICENSE.txt': 'MIT' }]))
  let time = Math.floor(start / dayMs) * dayMs - 2 * dayMs + hourMs
  const pass = createPass({ now: () => new Date(time), capturesOf: (id) => id === shop.tenantId })
  const count = (start: string) => requested().filter((one) => one?.startsWith(start)).length
  await pass(async () => {})
  expect([count('osv'), count('jquery@')]).toEqual([1, 1_000])
  time += hourMs
  await pass(async () => {})
  expect([count('osv'), count('jquery@')]).toEqual([1, 1_000])
  time += dayMs
  await pass(async () => {})
  expect([count('osv'), count('jquery@')]).toEqual([2, 2_000])
}, 300_000)

test.each([
  ['do not respond', () => HttpResponse.error(), hourMs],
  ['are busy', () => new Response('', { status: 429, headers: { 'retry-after': '7200' } }), 2 * hourMs],
  ['are down', () => new Response('', { status: 503 }), hourMs],
  ['moved', () => new Response('', { status: 302, headers: { location: 'https://other.example.test/' } }), hourMs],
])('of sources that %s for a day no verdict is lost, and later ones are requested again', async (_, fault, pauseMs) => {
  const shop = await world.createShop()
  await scanned(shop, { [url('3.4.1')]: bytes })
  let time = start
  const pass = createPass({ now: () => new Date(time), capturesOf: (id) => id === shop.tenantId })
  await pass(async () => {})
  const before = await scriptOf(shop, url('3.4.1'))
  expect(before?.advisories.state).toBe('affected')
  played.fault = fault
  await scanned(shop, { [url('3.4.1')]: bytes, [url('3.4.0', 'https://unpkg.com/jquery@')]: 'older' })
  played.requests.length = logged.length = 0
  for (const end = time + dayMs; time < end; time += 30 * minuteMs) await pass(async () => {})
  const withinAnHour = Math.ceil(dayMs / pauseMs)
  expect(played.requests.length).toBeGreaterThan(withinAnHour - 3)
  expect(played.requests.length).toBeLessThan(2 * withinAnHour + 3)
  expect(requested()).not.toContain('other.example.test')
  expect(await scriptOf(shop, url('3.4.1'))).toEqual({
    ...before,
    lastSeenAt: expect.any(String),
    hashes: expect.any(Array),
    scanPresence: expect.any(Object),
  })
  expect(JSON.parse(logged[0] ?? '')).toMatchObject({
    level: 50,
    source: 'jsdelivr',
    library: 'jquery@3.4.0',
    msg: 'Failed to look up a library; stored verdicts remain',
  })
  played.fault = undefined
  time += 3 * hourMs
  await pass(async () => {})
  const after = await scriptOf(shop, url('3.4.1'))
  expect(after?.advisories.checkedAt).toBe(new Date(time).toISOString())
})

test.each([
  ['is not JSON', () => new Response('<html>')],
  ['has another format', () => Response.json({ files: [{ name: 1 }], vulns: [{ id: 7 }] })],
  ['is a second page of advisories', () => Response.json({ files: 'none', vulns: [], next_page_token: 'more' })],
  ['is longer than 16 MB', () => new Response('x'.repeat(16 * 1024 * 1024 + 1))],
  ['is of a package that is too large', () => Response.json({ status: 403 }, { status: 403 })],
])('a response that %s changes nothing, and is requested again a day later', async (_, fault) => {
  const shop = await world.createShop()
  await scanned(shop, { [url('3.4.1')]: bytes })
  played.fault = fault
  let time = start
  const pass = createPass({ now: () => new Date(time), capturesOf: (id) => id === shop.tenantId })
  await pass(async () => {})
  expect(requested()).toEqual(['jquery@3.4.1', 'osv jquery'])
  expect(await scriptOf(shop, url('3.4.1'))).toMatchObject({
    identification: { state: 'unrecognised' },
    advisories: { state: 'not_assessed' },
  })
  time += 23 * hourMs
  await pass(async () => {})
  expect(played.requests).toHaveLength(2)
  played.fault = undefined
  time += 2 * hourMs
  await pass(async () => {})
  expect((await scriptOf(shop, url('3.4.1')))?.advisories.state).toBe('affected')
})

test.each(['library_files', 'library_advisories'])(
  'a worker that ends before the insert into %s requests it again',
  async (table) => {
    const shop = await world.createShop()
    await scanned(shop, { [url('3.4.1')]: bytes })
    const { writer } = world.database
    const insert: Database['insert'] = (statement, ...rest) =>
      statement.includes(` ${table} `) ? Promise.reject(new Error('killed')) : writer.insert(statement, ...rest)
    await expect(lookUp({ database: { ...writer, insert } })).rejects.toThrow('killed')
    await lookUp()
    const [lost] = table === 'library_files' ? ['jquery@3.4.1'] : ['osv jquery']
    expect(requested().filter((one) => one === lost)).toHaveLength(2)
    expect(new Set(requested()).size).toBe(3)
    expect((await scriptOf(shop, url('3.4.1')))?.advisories.state).toBe('affected')
  },
)

test('an advisory about a script is one alert, at once on a payment page and otherwise in the digest', async () => {
  const [shop, team] = [await world.createShop(), await world.createShop()]
  await world.database.writer.command(`INSERT INTO tenants (id, name, plan, created_at)
    SELECT id, name, 'team', created_at FROM tenants FINAL WHERE id = '${team.tenantId}'`)
  const elsewhere = url('3.4.1', 'https://unpkg.com/jquery@')
  for (const one of [shop, team]) await scanned(one, { [url('3.4.1')]: bytes })
  await reported(shop, { [elsewhere]: bytes, [url('3.4.1')]: 'forged' })
  const ofEvent = async (time = Date.now()) =>
    (await world.pass(time)).map(({ message }) => message).filter(({ type }) => type !== 'csp.new_issue')
  // Not before a digest of the next half hour.
  const now = Math.max(Date.now(), lastDigestAt(new Date(Date.now() + 30 * minuteMs), 8).getTime())
  expect(await ofEvent(now)).toEqual([])
  await lookUp()
  const library = 'jquery 3.4.1 has CVE-2020-11022 (medium), fixed in 3.5.0'
  const integrity = hashOf('jquery 3.5.0')
  expect(await ofEvent(now + 11 * minuteMs)).toMatchObject([
    {
      type: 'script.vulnerable',
      data: {
        summary: `${library} (integrity ${integrity}): ${url('3.4.1')}`,
        siteId: shop.siteId,
        scriptCount: 1,
        scripts: [
          {
            url: url('3.4.1'),
            hash: hashOf(bytes),
            change: 'vulnerable',
            advisory: {
              id: 'GHSA-gxr4-xjj5-5px2',
              library: 'jquery 3.4.1',
              fixedIn: '3.5.0',
              fixedIntegrity: integrity,
            },
          },
        ],
      },
    },
  ])
  expect(await ofEvent(now + 22 * minuteMs)).toEqual([])
  const digestAt = lastDigestAt(new Date(now + dayMs), 8).getTime()
  const digest = (await ofEvent(digestAt)).filter(({ type }) => type === 'digest')
  const summaries = digest[0]?.data.alerts?.map(({ summary }) => summary.split(': ')[1])
  expect(summaries).toEqual([elsewhere])
  await world.api.importRecords(undefined, libraryAdvisories, [
    {
      catalog: 'npm',
      package: 'jquery',
      checkedAt: new Date(start + 1000).toISOString(),
      advisories: Array.from({ length: 5 }, (_, index) => ({
        id: `A-${index}`,
        ranges: [{}],
        url: 'https://a.test',
        modifiedAt: new Date(start).toISOString(),
      })),
    },
  ])
  const later = await ofEvent(digestAt + 11 * minuteMs)
  expect(later.map(({ data }) => data.summary)).toEqual(['5 vulnerabilities of scripts'])
})

test('a running worker looks libraries up by itself, of one worker at a time', async () => {
  const shop = await world.createShop()
  await scanned(shop, { [url('3.4.1')]: bytes }, Date.now() - minuteMs)
  const dataDir = await mkdtemp(join(tmpdir(), 'libraries-'))
  const { writeUrl } = world.database
  const own = { writeUrl, dataDir, tenantId: shop.tenantId, intervalMs: dayMs, leaseMs: 500 }
  const workers = [await startOwnWorker(own), await startOwnWorker(own)]
  await expect.poll(async () => (await scriptOf(shop, url('3.4.1')))?.advisories.state).toBe('affected')
  await Promise.all(workers.map((worker) => worker.stop()))
  expect(requested()).toEqual(['jquery@3.4.1', 'osv jquery', 'jquery@3.5.0'])
})
