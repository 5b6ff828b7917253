import { setImmediate as settled } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { importVersionTtlMs } from '../../../../schema/durations.ts'
import { Problem } from '../../../../schema/problems.ts'
import { createCacheFixture } from '../../../support/cache-fixture.ts'

test('one version lookup serves a tenant for a second, and no other tenant', async () => {
  const { request, lookups, wait } = createCacheFixture()
  const keys = ['a', 'b']
  for (const key of [...keys, ...keys, ...keys]) await request(key)
  expect(lookups()).toBe(1)
  for (const tenantId of ['other', 'other']) await request('c', { tenantId })
  expect(lookups()).toBe(2)
  wait(importVersionTtlMs - 151)
  expect(await request('a')).toBe(0)
  expect(lookups()).toBe(2)
  wait(152)
  for (const key of keys) expect(await request(key)).toBe(0)
  expect(lookups()).toBe(3)
})

test('a response outlives any number of version lookups, but not five minutes', async () => {
  const { request, cached, wait } = createCacheFixture()
  for (let times = 0; times < 2; times++) await request('a')
  for (let waited = 0; waited < 299_000; waited += 1_000) {
    expect(await cached('a')).toBe('body')
    wait(1_000)
  }
  wait(2_000)
  expect(await cached('a')).toBeUndefined()
})

test('during an import a response is shared for a version’s life, and is not fresh afterwards', async () => {
  const { request, cached, startImport, endImport, wait } = createCacheFixture()
  for (let times = 0; times < 2; times++) await request('a')
  startImport()
  wait(importVersionTtlMs + 1)
  expect([await request('a'), await request('a')]).toEqual([1, 0])
  wait(importVersionTtlMs + 1)
  expect([await request('a'), await request('a')]).toEqual([1, 0])
  endImport()
  wait(importVersionTtlMs + 1)
  expect(await request('a', { text: 'with it' })).toBe(1)
  expect(await cached('a')).toBe('with it')
})

test('a version is good for a second from before its lookup, however long that takes', async () => {
  const { request, lookups, holdLookups, wait } = createCacheFixture()
  for (let times = 0; times < 3; times++) await request('a')
  wait(importVersionTtlMs + 1)
  const release = holdLookups()
  const first = request('a')
  wait(importVersionTtlMs - 1)
  const second = request('a')
  expect(lookups()).toBe(2)
  wait(2)
  const third = request('a')
  expect(lookups()).toBe(3)
  release()
  expect(await Promise.all([first, second, third])).toEqual([0, 0, 0])
})

test('a failed version lookup is shared by all who wait, and not repeated for a while', async () => {
  const { request, lookups, failWith, wait } = createCacheFixture()
  const keys = ['a', 'b', 'c', 'd']
  for (const key of [...keys, ...keys]) await request(key)
  failWith(new Problem('upstream_unavailable'))
  wait(importVersionTtlMs + 1)
  const before = lookups()
  for (let times = 0; times < 2; times++) await Promise.all(keys.map((key) => request(key)))
  expect(lookups() - before).toBe(1)
})

/** A cached response whose version has almost expired. */
async function createAlmostExpired() {
  const fixture = createCacheFixture()
  for (const key of ['a', 'b', 'a', 'b']) await fixture.request(key)
  fixture.wait(importVersionTtlMs - 1)
  return fixture
}

test('a version is refreshed ahead of its end, once, and no request waits for it', async () => {
  const { cached, lookups, holdLookups, wait } = await createAlmostExpired()
  for (let refreshes = 2; refreshes < 6; refreshes++) {
    const release = holdLookups()
    expect([await cached('a'), await cached('a')]).toEqual(['body', 'body'])
    release()
    await settled()
    expect(lookups()).toBe(refreshes)
    wait(importVersionTtlMs - 160)
    expect(await cached('a')).toBe('body')
    expect(lookups()).toBe(refreshes)
    wait(159)
  }
})

test('a version refreshed ahead is good for a second from before its lookup too', async () => {
  const { cached, lookups, holdLookups, wait } = await createAlmostExpired()
  const release = holdLookups()
  expect(await cached('a')).toBe('body')
  wait(importVersionTtlMs + 1)
  release()
  await settled()
  const before = lookups()
  expect(await cached('a')).toBe('body')
  expect(lookups()).toBe(before + 1)
})

test('a version refreshed ahead counts at once', async () => {
  const { cached, startImport } = await createAlmostExpired()
  startImport()
  expect(await cached('a')).toBe('body')
  await settled()
  expect(await cached('a')).toBeUndefined()
})

test('a refresh that fails ends the version, and is not repeated for a while', async () => {
  const { request, cached, failWith, lookups, wait } = await createAlmostExpired()
  failWith(new Problem('upstream_unavailable'))
  expect(await cached('a')).toBe('body')
  await settled()
  expect(await cached('a')).toBeUndefined()
  const before = lookups()
  failWith(undefined)
  wait(4_900)
  expect(await request('a')).toBe(1)
  expect(lookups()).toBe(before)
})

test('an error of a refresh fails the next request that needs a lookup', async () => {
  const { request, cached, failWith, wait } = await createAlmostExpired()
  failWith(new TypeError('ours'))
  expect(await cached('a')).toBe('body')
  await settled()
  wait(2)
  await expect(request('a')).rejects.toThrow('ours')
})

test('an error of a lookup that is none of the database’s is not cached', async () => {
  const { request, failWith } = createCacheFixture()
  for (const key of ['a', 'a']) await request(key)
  failWith(new Error('a row of another form'))
  await expect(request('b', { tenantId: 'other' })).resolves.toBeDefined()
  await expect(request('b', { tenantId: 'other' })).rejects.toThrow('a row of another form')
  failWith(undefined)
  await expect(request('b', { tenantId: 'other' })).resolves.toBeDefined()
})

test('a refresh that ends after a later lookup does not replace it', async () => {
  const { request, cached, holdLookups, startImport, wait } = await createAlmostExpired()
  const release = holdLookups()
  expect(await cached('a')).toBe('body')
  wait(2)
  startImport()
  const loads = request('a')
  release()
  expect(await loads).toBe(1)
  await settled()
  expect(await cached('b')).toBeUndefined()
})

test('the version of a tenant that always changes does so once a second', async () => {
  const { request, importOnce, startImport, endImport, wait } = createCacheFixture()
  const seconds = 20
  let loads = 0
  for (let elapsed = 0; elapsed < seconds * importVersionTtlMs; elapsed += 50) {
    if (elapsed % 150 === 0) startImport()
    else if (elapsed % 100 === 0) endImport()
    else importOnce()
    loads += await request('a', { isShared: true })
    wait(50)
  }
  expect(loads).toBeLessThanOrEqual(seconds)
})
