import { expect, test } from 'vitest'
import { ClientDisconnected } from '../../../../queries/clickhouse/with-timeout.ts'
import { importVersionTtlMs } from '../../../../schema/durations.ts'
import { Problem } from '../../../../schema/problems.ts'
import { createCacheFixture } from '../../../support/cache-fixture.ts'

test('a response is cached from the second request on, and for five minutes', async () => {
  const { wait, request } = createCacheFixture()
  expect([await request('a'), await request('a'), await request('a')]).toEqual([1, 1, 0])
  wait(299_000)
  expect(await request('a')).toBe(0)
  wait(2_000)
  expect([await request('a'), await request('a')]).toEqual([1, 0])
})

test('a response that others request too is cached from the first request on', async () => {
  const { request, lookups, wait } = createCacheFixture()
  expect([await request('a', { isShared: true }), await request('a', { isShared: true })]).toEqual([1, 0])
  expect(lookups()).toBe(1)
  wait(importVersionTtlMs + 1)
  expect(await request('a', { isShared: true })).toBe(0)
})

test('a request that nobody sent for five minutes counts as the first', async () => {
  const { wait, request } = createCacheFixture()
  expect([await request('a'), await request('a')]).toEqual([1, 1])
  wait(301_000)
  expect([await request('a'), await request('a'), await request('a')]).toEqual([1, 1, 0])
})

test('a cached response is neither another tenant’s nor another request’s', async () => {
  const { request, cached } = createCacheFixture()
  for (let times = 0; times < 3; times++) await request('a')
  expect(await cached('a')).toBe('body')
  expect(await request('a', { tenantId: 'other', text: 'other body' })).toBe(1)
  expect(await request('a', { tenantId: 'other', text: 'other body' })).toBe(1)
  expect([await cached('a'), await cached('a', 'other'), await cached('b')]).toEqual(['body', 'other body', undefined])
})

test('the cache is bounded: the least recently used goes first, and a huge response is never cached', async () => {
  const { request } = createCacheFixture()
  const large = 'x'.repeat(1_900_000)
  for (const key of ['a', 'a']) await request(key, { text: large })
  expect(await request('a', { text: large })).toBe(0)
  for (let others = 0; others < 40; others++) await request(`other ${others % 20}`, { text: large })
  expect(await request('a', { text: large })).toBe(1)

  const huge = { text: 'x'.repeat(2_100_000) }
  expect([await request('b', huge), await request('b', huge), await request('b', huge)]).toEqual([1, 1, 1])
})

test('keys without a response count towards the bound', async () => {
  const { request } = createCacheFixture()
  await request('a')
  await request('a')
  for (let others = 0; others < 5_000; others++) await request(`${'x'.repeat(8_000)} ${others}`)
  expect(await request('a')).toBe(1)
})

test('a response that was loaded during an import is stale once the end of that import is seen', async () => {
  const { request, importOnce, wait } = createCacheFixture()
  await request('a')
  await request('a', { text: 'from before the import', meanwhile: importOnce })
  expect(await request('a', { text: 'from before the import' })).toBe(0)
  wait(importVersionTtlMs + 1)
  expect([await request('a', { text: 'with it' }), await request('a', { text: 'with it' })]).toEqual([1, 0])
})

test('nothing is cached while the import log cannot be read', async () => {
  const { request, failWith, wait } = createCacheFixture()
  await request('a')
  await request('a')
  failWith(new Problem('upstream_unavailable'))
  wait(6_000)
  for (let times = 0; times < 4; times++) expect(await request('a')).toBe(1)
  failWith(undefined)
  wait(6_000)
  expect([await request('a'), await request('a')]).toEqual([1, 0])
})

test.each([new ClientDisconnected(), new TypeError('ours')])(
  '%o of the version lookup fails the request too',
  async (error) => {
    const { request, failWith } = createCacheFixture()
    await request('a')
    failWith(error)
    await expect(request('a')).rejects.toBe(error)
  },
)

test('for a tenant with more than 500 steps of imports in an hour a response is cached for a version’s life', async () => {
  const { request, endImport, importOnce, wait } = createCacheFixture()
  for (let imports = 0; imports < 250; imports++) importOnce()
  expect([await request('a'), await request('a'), await request('a')]).toEqual([1, 1, 0])
  endImport()
  wait(importVersionTtlMs + 1)
  expect([await request('a'), await request('a')]).toEqual([1, 0])
  wait(importVersionTtlMs + 1)
  expect([await request('a'), await request('a')]).toEqual([1, 0])
})
