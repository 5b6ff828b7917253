/** @module Copies of scripts, from what browsers report and scans find to what the API shows and a command prints. */

import { createHash, randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { monitoredPages } from '../../../app/import/records/types/monitored-pages.ts'
import { scriptCaptures } from '../../../app/import/records/types/script-captures.ts'
import type { Database } from '../../../queries/clickhouse/database.ts'
import { dayMs, hourMs } from '../../../schema/durations.ts'
import type { Plan } from '../../../schema/plans.ts'
import type { Script, ScriptCapture } from '../../../schema/responses/script.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import { cli } from '../../support/cli.ts'
import { queryRows } from '../../support/database.ts'
import type { TestEngine } from '../../support/engine.ts'
import { startMigratedEngine } from '../../support/migrated-engine.ts'
import { type OwnWorker, startOwnWorker } from '../../support/own-worker.ts'
import { connectPatiently } from '../../support/patience.ts'
import { spawnScript } from '../../support/spawn-script.ts'
import type { TestKey } from '../../support/tenants.ts'
import { startWebServer, type WebServer } from '../../support/web-server.ts'

let engine: TestEngine
let database: Database
let api: TestApi
let web: WebServer
/** Of scripts of the kills that are still sent; later requests hang. */
let responses = Number.POSITIVE_INFINITY
/** Paths with queries. */
const visits: (string | undefined)[] = []

const bytesOf = (name: string) => `run(${JSON.stringify(name)})`
const hashOf = (text: string) => `sha256-${createHash('sha256').update(text).digest('base64')}`

beforeAll(async () => {
  engine = await startMigratedEngine()
  const { reader, writer } = engine.userUrls
  database = connectPatiently(writer)
  api = await startApi({ readUrl: reader, writeUrl: writer })
  web = await startWebServer((request, response) => {
    visits.push(request.url)
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://x')
    const name = pathname.slice(1)
    if (name.startsWith('slow') && --responses < 0) return
    if (name === 'moved') return void response.writeHead(302, { location: '/good?moved' }).end()
    if (name === 'around') return void response.writeHead(302, { location: '/around' }).end()
    if (name === 'inside') return void response.writeHead(302, { location: 'http://router.lan/' }).end()
    if (name === 'gone') return void response.writeHead(404).end()
    if (name === 'dropped') return void response.destroy()
    if (name === 'query' && !searchParams.has('v')) return void response.writeHead(400).end()
    response.setHeader('content-type', /^(login|pay)$/.test(name) ? 'text/html' : 'text/javascript')
    if (name === 'pay') return void response.end('<!doctype html><script src="/tag?v=1"></script>')
    if (name === 'large') return void response.end(Buffer.alloc(5 * 1024 * 1024 + 1))
    response.end(bytesOf(name === 'moved' ? 'good' : name))
  })
})

afterAll(async () => {
  await Promise.all([api?.close(), web?.close(), database?.close()])
  await engine?.end()
})

interface Shop extends OwnWorker {
  readonly siteId: string
  readonly key: TestKey
}

async function createShop(plan: Plan = 'business'): Promise<Shop> {
  const tenantId = await api.createTenant({ plan })
  const siteId = await api.createSite(tenantId, { hosts: ['127.0.0.1'] })
  const worker = { writeUrl: engine.userUrls.writer, dataDir: engine.dataDir, intervalMs: dayMs, leaseMs: 500 }
  return { ...worker, tenantId, siteId, key: await api.createKey(tenantId) }
}

/** As browsers post them: URLs of scripts with their hashes. */
async function report({ tenantId, siteId }: Shop, scripts: readonly (readonly [url: string, hash: string])[]) {
  const documentURL = 'http://127.0.0.1/pay'
  const posts = scripts.map(([subresourceURL, hash]) => {
    const body = { documentURL, subresourceURL, hash, type: 'subresource', destination: 'script' }
    return JSON.stringify({ site: siteId, body: [{ type: 'csp-hash', age: 0, url: documentURL, body }] })
  })
  const words = ['import', 'reports', '--tenant', tenantId, '-']
  const environment = { CLICKHOUSE_URL: engine.userUrls.writer }
  const { code, stderr } = await cli(words, { environment, stdin: `${posts.join('\n')}\n` })
  expect({ code, stderr }).toMatchObject({ code: 0 })
}

/** By the last part of the script's URL; null for a version without an attempt. */
async function capturesOf({ siteId, key }: Shop): Promise<Record<string, ScriptCapture | null>> {
  const { body } = await api.get(`/v1/sites/${siteId}/scripts?limit=1000`, { key })
  const scripts: Script[] = body.data
  return Object.fromEntries(
    scripts.flatMap(({ url, hashes }) => hashes.map(({ capture }) => [url.split('/').at(-1), capture])),
  )
}

const isSettled = (captures: Readonly<Record<string, ScriptCapture | null>>, ...without: string[]) =>
  Object.entries(captures).every(
    ([name, capture]) => without.includes(name) || (capture && capture.state !== 'pending'),
  )

/** What the API shows once the worker has ended with the shop's scripts. */
async function captured(shop: Shop, ...without: string[]) {
  const worker = await startOwnWorker(shop)
  await expect.poll(async () => isSettled(await capturesOf(shop), ...without)).toBe(true)
  await worker.stop()
  return capturesOf(shop)
}

const copy = (shop: Shop, hash: string, dataDir = engine.dataDir) =>
  cli(['scripts', 'copy', '--tenant', shop.tenantId, '--hash', hash], {
    environment: { CLICKHOUSE_URL: engine.userUrls.writer, DATA_DIR: dataDir },
  })

const pathOf = (hash: string) => {
  const name = Buffer.from(hash.slice(7), 'base64').toString('hex')
  return join(engine.dataDir, 'captures', name.slice(0, 2), name)
}

test('each reported hash is fetched once, and its capture has the state and reason of what came', async () => {
  const shop = await createShop()
  const own = (name: string, query = '') => [`${web.origin}/${name}${query}`, hashOf(bytesOf(name))] as const
  await report(shop, [
    ...['good', 'gone', 'login', 'large', 'around', 'inside', 'dropped'].map((name) => own(name)),
    ...[own('query', '?v=3'), own('secret', '?session=1b2c')],
    [`${web.origin}/moved`, hashOf(bytesOf('good?'))],
    [`${web.origin}/other`, hashOf('what it was')],
    [`${web.origin}/sha384`, `sha384-${'A'.repeat(64)}`],
    [`http://cdn.example.test/foreign`, hashOf('foreign')],
    [`${web.origin}/unhashed`, ''],
  ])
  const team = await createShop('team')
  await report(team, [own('good'), own('elsewhere')])
  const from = visits.length
  const captures = await captured(shop, 'unhashed')
  const refused = (reason: string) => ({ state: 'refused', reason, size: null })
  const size = bytesOf('good').length
  expect(captures).toMatchObject({
    good: { state: 'captured', reason: null, source: 'report', size, reused: false, finalUrl: `${web.origin}/good` },
    query: { state: 'captured', fetchedUrl: `${web.origin}/query?v=3` },
    secret: { state: 'captured', fetchedUrl: `${web.origin}/secret` },
    moved: { state: 'mismatched', finalUrl: `${web.origin}/good?moved`, receivedHash: hashOf(bytesOf('good')) },
    other: { state: 'mismatched', receivedHash: hashOf(bytesOf('other')), size: null },
    gone: refused('http_error'),
    login: refused('html_response'),
    large: refused('too_large'),
    around: refused('too_many_redirects'),
    inside: refused('not_allowed'),
    dropped: refused('connection_failed'),
    sha384: refused('unsupported_hash'),
    foreign: refused('unknown_host'),
    unhashed: null,
  })
  const visited = visits.slice(from)
  expect(visited.filter((path) => path !== '/around').sort()).toEqual(
    [
      '/dropped',
      '/gone',
      '/good',
      '/good?moved',
      '/inside',
      '/large',
      '/login',
      '/moved',
      '/other',
      '/query?v=3',
    ].concat('/secret'),
  )
  expect(readFileSync(pathOf(hashOf(bytesOf('good'))), 'utf8')).toBe(bytesOf('good'))

  const second = await createShop()
  await report(second, [own('good', '?elsewhere')])
  expect(await captured(second)).toMatchObject({
    good: { state: 'captured', reused: true, size, fetchedUrl: `${web.origin}/good?elsewhere`, finalUrl: null },
  })
  expect(await capturesOf(team)).toEqual({ good: null, elsewhere: null })
  expect(visits.slice(from)).toEqual(visited)

  expect(await copy(shop, hashOf(bytesOf('good')))).toMatchObject({ code: 0, stdout: bytesOf('good') })
  for (const [one, hash, dataDir, refusal] of [
    [team, hashOf(bytesOf('good')), engine.dataDir, /^The tenant has no copy of sha256-/],
    [shop, hashOf(bytesOf('other')), engine.dataDir, /^The tenant has no copy of sha256-/],
    [shop, hashOf(bytesOf('good')), join(engine.dataDir, 'none'), /run the command on the worker's machine/],
  ] as const) {
    const { code, stdout, stderr } = await copy(one, hash, dataDir)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(refusal)
  }

  const remove = ['sites', 'delete', '--tenant', shop.tenantId, '--site', shop.siteId, '--confirm', 'Test site']
  const environment = { CLICKHOUSE_URL: engine.userUrls.writer }
  expect(await cli(remove, { environment, settings: { untilForgotten: async () => {} } })).toMatchObject({ code: 0 })
  const [held, unnamed] = [pathOf(hashOf(bytesOf('good'))), pathOf(hashOf(bytesOf('query')))]
  const [old, lastWeek] = [2 * hourMs, 8 * dayMs].map((age) => new Date(Date.now() - age)) as [Date, Date]
  for (const path of [held, unnamed]) utimesSync(path, old, old)
  utimesSync(join(engine.dataDir, 'captures', 'swept'), lastWeek, lastWeek)
  const sweeping = await startOwnWorker(second)
  await expect.poll(() => existsSync(unnamed)).toBe(false)
  await sweeping.stop()
  expect(existsSync(held)).toBe(true)
})

test('a site has 50 fetches for reports in a UTC day, of which one more is tried on the next, and bytes of a scan count as none', async () => {
  const shop = await createShop()
  const { tenantId, siteId } = shop
  const attempts = Array.from({ length: 50 }, (_, index) => ({
    siteId,
    url: `${web.origin}/before`,
    hash: hashOf(`${index}`),
    state: 'refused',
    reason: 'http_error',

    source: 'report',
    fetchedUrl: web.origin,
    attemptedAt: new Date(Date.now() - (index ? 0 : dayMs)).toISOString(),
  }))
  await api.importRecords(tenantId, scriptCaptures, attempts)
  await report(
    shop,
    ['one', 'two'].map((name) => [`${web.origin}/${name}`, hashOf(bytesOf(name))]),
  )
  const page = {
    kind: 'payment',
    label: 'Pay',
    pattern: `${web.origin}/pay`,
    scanUrl: `${web.origin}/pay`,
    position: 0,
  }
  await api.importRecords(tenantId, monitoredPages, [{ id: randomUUID(), siteId, ...page }])
  const worker = await startOwnWorker(shop)
  await expect.poll(async () => Object.keys(await capturesOf(shop)).sort()).toEqual(['one', 'tag', 'two'])
  await expect.poll(async () => isSettled(await capturesOf(shop))).toBe(true)
  await worker.stop()
  const { one, two, tag } = await capturesOf(shop)
  expect([one?.reason ?? one?.state, two?.reason ?? two?.state].sort()).toEqual(['captured', 'daily_cap'])
  const size = bytesOf('tag').length
  expect(tag).toMatchObject({ state: 'captured', source: 'scan', fetchedUrl: `${web.origin}/tag?v=1`, size })
  const since = `attempted_at >= toStartOfDay(now('UTC'))`
  expect(
    await queryRows(database, `SELECT count() FROM script_captures FINAL WHERE site_id = '${siteId}' AND ${since}`),
  ).toEqual([[50]])
  const names = ['one', 'two'].filter((name) => (name === 'one' ? one : two)?.reason === 'daily_cap')
  const back = ['updated_at', 'attempted_at'].map((time) => `${time} - INTERVAL 1 DAY AS ${time}`).join(', ')
  const ofSite = `WHERE site_id = '${siteId}'`
  await database.command(`INSERT INTO script_captures SELECT * REPLACE (${back}) FROM script_captures FINAL ${ofSite}`)
  await database.command(
    `ALTER TABLE script_captures DELETE ${ofSite} AND updated_at >= toStartOfDay(now('UTC')) SETTINGS mutations_sync = 2`,
  )
  const nextDay = await startOwnWorker(shop)
  await expect.poll(async () => (await capturesOf(shop))[names[0] ?? '']?.state).toBe('captured')
  await nextDay.stop()
})

/** Of `CAPTURE_KILLS` at most 4, as each can take 9 of the site's 50 fetches for reports. */
const wantedKills = Math.min(4, Number(process.env.CAPTURE_KILLS ?? 2))

test('of a worker that is killed again and again no script is fetched twice, and no file has other bytes', async () => {
  const shop = await createShop()
  const names = Array.from({ length: 12 + 9 * wantedKills }, (_, index) => `slow${index}`)
  await report(
    shop,
    names.map((name) => [`${web.origin}/${name}`, hashOf(bytesOf(name))]),
  )
  const { dataDir, ...worker } = shop
  for (let kill = 0; kill < wantedKills; kill++) {
    const last = visits.length + 1 + (kill % 3)
    responses = kill % 3
    const spawned = spawnScript('tests/support/own-worker.ts', [JSON.stringify({ ...worker, dataDir })], {})
    await expect.poll(() => visits.length).toBeGreaterThanOrEqual(last)
    spawned.child.kill('SIGKILL')
    await spawned.ended()
  }
  responses = Number.POSITIVE_INFINITY
  const captures = await captured(shop)
  const states = names.map((name) => captures[name]?.state)
  expect(new Set(states)).toEqual(new Set(['captured', 'interrupted']))
  const fetched = visits.filter((path) => path?.startsWith('/slow'))
  expect(fetched.length).toBe(new Set(fetched).size)
  for (const name of names.filter((_, index) => states[index] === 'captured')) {
    expect(readFileSync(pathOf(hashOf(bytesOf(name))), 'utf8')).toBe(bytesOf(name))
  }
  const files = readdirSync(join(dataDir, 'captures'), { recursive: true, withFileTypes: true })
  for (const { parentPath, name } of files.filter((entry) => /^[\da-f]{64}$/.test(entry.name))) {
    expect(
      createHash('sha256')
        .update(readFileSync(join(parentPath, name)))
        .digest('hex'),
    ).toBe(name)
  }
})
