import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeSiteToken } from '../../../../app/collector/site-address.ts'
import { openSites, type Sites } from '../../../../app/collector/sites.ts'
import type { PoolName, Query, Read } from '../../../../queries/sql/query.ts'
import { siteTtlMs } from '../../../../schema/durations.ts'
import { Problem } from '../../../../schema/problems.ts'

let folder: string
const opened: Sites[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sites-'))
})
afterEach(() => {
  for (const sites of opened.splice(0)) sites.close()
  rmSync(folder, { recursive: true })
})

async function open(read: Read, ttlMs?: number): Promise<Sites> {
  const sites = await openSites({ read, folder, ttlMs })
  opened.push(sites)
  return sites
}

/** Reads of a database with these tokens; `respond` can hold or break one. */
function fakeDatabase(tokens: Set<string>, respond: (name: string) => Promise<void> | undefined = () => undefined) {
  const reads: string[] = []
  const pools = new Map<string, PoolName | undefined>()
  const site = { tenantId: 't', hosts: ['shop.example'], sampleRates: {}, plan: 'business', overrides: {}, shard: 1 }
  const read = async ({ name, pool, statement }: Query<unknown>) => {
    reads.push(name)
    pools.set(name, pool)
    await respond(name)
    if (name === 'findSitesState') return [{ state: [...tokens].join() }]
    if (name === 'listCollectorSites') return [...tokens].map((token) => ({ ...site, id: token, token }))
    const token = String(statement.values[0]?.value)
    return tokens.has(token) ? [{ token }] : []
  }
  return { read: read as Read, reads, pools, count: (name: string) => reads.filter((other) => other === name).length }
}

const unavailable = () => Promise.reject(new Problem('upstream_unavailable'))

test('sites are read beside posts, and again only where one changed', async () => {
  expect(siteTtlMs).toBe(5_000)
  const token = makeSiteToken()
  const database = fakeDatabase(new Set([token]))
  const sites = await open(database.read, 5)
  for (let posts = 0; posts < 3; posts++) expect((await sites.find(token))?.id).toBe(token)
  await expect.poll(() => database.count('findSitesState')).toBeGreaterThan(3)
  expect(database.count('listCollectorSites')).toBe(1)
  expect(new Set(database.reads)).toEqual(new Set(['findSitesState', 'listCollectorSites']))
})

test('guesses are looked up once each, cheaply and in a pool of their own; malformed ones are not', async () => {
  const database = fakeDatabase(new Set())
  const sites = await open(database.read)
  const guesses = Array.from({ length: 50 }, makeSiteToken)
  for (const guess of [...guesses, ...guesses, 'short', '']) expect(await sites.find(guess)).toBeUndefined()
  expect(database.count('findSiteToken')).toBe(50)
  expect(database.count('listCollectorSites')).toBe(1)
  expect(database.pools.get('findSiteToken')).toBe('unknownToken')
})

test('a site that is newer than those in memory works at once', async () => {
  const tokens = new Set<string>()
  const database = fakeDatabase(tokens)
  const sites = await open(database.read)
  await sites.find(makeSiteToken())
  const token = makeSiteToken()
  tokens.add(token)
  expect((await sites.find(token))?.id).toBe(token)
})

test('guesses and reads that hang hold no known site', async () => {
  const token = makeSiteToken()
  let hangs = false
  const database = fakeDatabase(new Set([token]), () => (hangs ? new Promise(() => {}) : undefined))
  const sites = await open(database.read, 5)
  expect((await sites.find(token))?.id).toBe(token)
  hangs = true
  for (let guesses = 0; guesses < 1_000; guesses++) void sites.find(makeSiteToken())
  expect((await sites.find(token))?.id).toBe(token)
})

test('a deleted site ends within a read, and an outage ends none', async () => {
  const token = makeSiteToken()
  const tokens = new Set([token])
  let isDown = false
  const database = fakeDatabase(tokens, () => (isDown ? unavailable() : undefined))
  const sites = await open(database.read, 1)
  expect((await sites.find(token))?.id).toBe(token)
  isDown = true
  for (let posts = 0; posts < 3; posts++) {
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect((await sites.find(token))?.id).toBe(token)
  }
  await expect(sites.find(makeSiteToken())).rejects.toThrow(Problem)
  isDown = false
  tokens.delete(token)
  await expect.poll(() => sites.find(token)).toBeUndefined()
})

test('a collector that starts in an outage knows the sites of its snapshot, and is not ready without one', async () => {
  const token = makeSiteToken()
  const first = await open(fakeDatabase(new Set([token])).read)
  await first.find(token)
  await expect.poll(() => JSON.parse(readFileSync(join(folder, 'sites.json'), 'utf8')).sites).toHaveLength(1)
  const down = fakeDatabase(new Set(), unavailable).read
  const next = await open(down)
  expect(next.isKnown()).toBe(true)
  // A snapshot of an earlier release has no mode of URLs.
  expect(await next.find(token)).toMatchObject({ id: token, tenantId: 't', retentionDays: 90, maskUrl: undefined })
  await expect(next.find(makeSiteToken())).rejects.toThrow(Problem)
  rmSync(join(folder, 'sites.json'))
  const without = await open(down)
  expect(without.isKnown()).toBe(false)
  await expect(without.find(token)).rejects.toThrow(Problem)
})

test('a change within ten seconds of the last snapshot is in memory at once, and in a later snapshot', async () => {
  const tokens = new Set([makeSiteToken()])
  const database = fakeDatabase(tokens)
  const sites = await open(database.read, 5)
  const [first = ''] = tokens
  await sites.find(first)
  const second = makeSiteToken()
  tokens.add(second)
  expect((await sites.find(second))?.id).toBe(second)
  // As before: what was saved last is what is true again.
  tokens.delete(second)
  await expect.poll(() => sites.find(second)).toBeUndefined()
  expect((await sites.find(first))?.id).toBe(first)
})
