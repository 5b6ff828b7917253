import { expect, test } from 'vitest'
import type { ReportStore } from '../../../../app/collector/report-store.ts'
import { openShardStores } from '../../../../app/collector/shard-stores.ts'
import { aReport } from '../../../../fixtures/reports.ts'

/** Stores that note the shard of each post. */
function fakeStores() {
  const opened: number[] = []
  const stored: number[] = []
  const news: number[] = []
  let fails = false
  const open = async (shard: number) => {
    if (fails) throw new Error('the folder cannot be made')
    opened.push(shard)
    const store: Partial<ReportStore> = { store: async () => void stored.push(shard), sendLeftovers() {} }
    return store as ReportStore
  }
  function fail(now: boolean) {
    fails = now
  }
  return { opened, stored, news, open, fail }
}

const postOf = (tenantId: string) => [{ ...aReport(), tenantId }]

test('a shard that was added later gets a store of its own, once, and is named', async () => {
  const { opened, stored, news, open } = fakeStores()
  const shards: Readonly<Record<string, number>> = { a: 1, b: 2, c: 3, d: 3 }
  const store = await openShardStores(
    2,
    open,
    async (tenantId) => shards[tenantId] ?? 1,
    (shard) => news.push(shard),
  )
  expect({ opened, news }).toEqual({ opened: [1, 2], news: [] })
  for (const tenantId of ['a', 'b', 'c', 'd']) await store.store(postOf(tenantId))
  expect({ opened, stored, news }).toEqual({ opened: [1, 2, 3], stored: [1, 2, 3, 3], news: [3] })
})

test('posts of a shard whose folder cannot be made are 503 until it can', async () => {
  const { stored, open, fail } = fakeStores()
  const store = await openShardStores(
    1,
    open,
    async () => 2,
    () => {},
  )
  fail(true)
  await expect(store.store(postOf('a'))).rejects.toMatchObject({ status: 503 })
  fail(false)
  await store.store(postOf('a'))
  expect(stored).toEqual([2])
})

test('a tenant whose shard is not found goes to the first store', async () => {
  const { stored, open } = fakeStores()
  const store = await openShardStores(
    2,
    open,
    () => Promise.reject(new Error('no response')),
    () => {},
  )
  await store.store(postOf('a'))
  expect(stored).toEqual([1])
})
