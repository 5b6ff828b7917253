import { expect, test } from 'vitest'
import { makeSiteToken } from '../../../../app/collector/site-address.ts'
import { createSiteLookup } from '../../../../app/collector/site-lookup.ts'
import type { PoolName, Query, Read } from '../../../../queries/sql/query.ts'
import { siteTtlMs } from '../../../../schema/durations.ts'
import { Problem } from '../../../../schema/problems.ts'

/** Reads of a database with these tokens; `respond` can hold or break one. */
function fakeDatabase(tokens: Set<string>, respond: (name: string) => Promise<void> | undefined = () => undefined) {
  const reads: string[] = []
  const pools = new Map<string, PoolName | undefined>()
  const read = async ({ name, pool, statement }: Query<unknown>) => {
    reads.push(name)
    pools.set(name, pool)
    await respond(name)
    if (name === 'listSiteTokens') return [...tokens].map((token) => ({ token }))
    const token = String(statement.values[0]?.value)
    if (!tokens.has(token)) return []
    if (name === 'findSiteToken') return [{ token }]
    return [{ id: token, tenantId: 't', hosts: ['shop.example'], sampleRates: {}, plan: 'business', overrides: {} }]
  }
  return { read: read as Read, reads, pools, count: (name: string) => reads.filter((other) => other === name).length }
}

const unavailable = () => Promise.reject(new Problem('upstream_unavailable'))

test('a known site is read once, and its token is not looked up among the unknown', async () => {
  expect(siteTtlMs).toBe(5_000)
  const token = makeSiteToken()
  const database = fakeDatabase(new Set([token]))
  const find = createSiteLookup(database.read)
  for (let posts = 0; posts < 3; posts++) expect((await find(token))?.id).toBe(token)
  expect(database.reads).toEqual(['listSiteTokens', 'findSiteByToken'])
})

test('guesses are looked up once each, cheaply and in a pool of their own; malformed ones are not', async () => {
  const database = fakeDatabase(new Set())
  const find = createSiteLookup(database.read)
  const guesses = Array.from({ length: 50 }, makeSiteToken)
  for (const guess of [...guesses, ...guesses, 'short', '']) expect(await find(guess)).toBeUndefined()
  expect(database.count('findSiteToken')).toBe(50)
  expect(database.count('findSiteByToken')).toBe(0)
  expect(database.count('listSiteTokens')).toBe(1)
  expect(Object.fromEntries(database.pools)).toEqual({ listSiteTokens: 'lookup', findSiteToken: 'unknownToken' })
})

test('a site that is newer than the tokens in memory works at once', async () => {
  const tokens = new Set<string>()
  const database = fakeDatabase(tokens)
  const find = createSiteLookup(database.read)
  await find(makeSiteToken())
  const token = makeSiteToken()
  tokens.add(token)
  expect((await find(token))?.id).toBe(token)
  expect(database.count('listSiteTokens')).toBe(1)
})

test('guesses that hang hold no known site', async () => {
  const token = makeSiteToken()
  const database = fakeDatabase(new Set([token]), (name) =>
    name === 'findSiteToken' ? new Promise(() => {}) : undefined,
  )
  const find = createSiteLookup(database.read)
  for (let guesses = 0; guesses < 1_000; guesses++) void find(makeSiteToken())
  expect((await find(token))?.id).toBe(token)
})

test('tokens are read again when they expire; a deleted site ends, and an outage ends none', async () => {
  const token = makeSiteToken()
  const tokens = new Set([token])
  let isDown = false
  const database = fakeDatabase(tokens, () => (isDown ? unavailable() : undefined))
  const find = createSiteLookup(database.read, { ttlMs: 1 })
  expect((await find(token))?.id).toBe(token)
  isDown = true
  for (let posts = 0; posts < 3; posts++) {
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect((await find(token))?.id).toBe(token)
  }
  await expect(find(makeSiteToken())).rejects.toThrow(Problem)
  isDown = false
  tokens.delete(token)
  await expect.poll(() => find(token)).toBeUndefined()
  expect(database.count('listSiteTokens')).toBeGreaterThan(2)
})
