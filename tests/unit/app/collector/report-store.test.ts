import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createReportStore, type ReportStoreOptions } from '../../../../app/collector/report-store.ts'
import type { Spool } from '../../../../app/collector/spool.ts'
import { gatherDurations } from '../../../../schema/durations.ts'
import type { StoredReport } from '../../../../schema/stored-report.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

const { postMs, longestMs } = gatherDurations

/** Blocks of a store whose inserts take a time, with the moment at which each began and its posts. */
function openStore(insertMs: () => number, limits: ReportStoreOptions['limits'] = {}) {
  const blocks: [startedAt: number, posts: number][] = []
  const startedAt = performance.now()
  const store = createReportStore({
    limits,
    spool: { save: async () => {}, moveToStored: async () => {} } as unknown as Spool,
    logSteps: async () => {},
    settle: async () => false,
    writer: {
      async write([rows]) {
        blocks.push([performance.now() - startedAt, rows?.toString().trimEnd().split('\n').length ?? 0])
        await new Promise((done) => setTimeout(done, insertMs()))
      },
    },
  })
  let stored = 0
  function post(): void {
    void store.store([{ siteId: 's', tenantId: 't' } as StoredReport]).then(() => stored++)
  }
  return { blocks, store, post, stored: () => stored }
}

/** Posts at this rate for a time. */
async function flow(post: () => void, everyMs: number, forMs: number): Promise<void> {
  for (let passed = 0; passed < forMs; passed += everyMs) {
    post()
    await vi.advanceTimersByTimeAsync(everyMs)
  }
}

test('a report after a quiet moment waits for 400 ms', async () => {
  const { blocks, post } = openStore(() => 200)
  post()
  await vi.advanceTimersByTimeAsync(60_000)
  post()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(blocks).toEqual([
    [postMs, 1],
    [60_000 + postMs, 1],
  ])
})

test.each([
  ['a thirty-sixth of the time', 100, 3_600],
  ['as long as they need, every 5 s, where they are slow', 1_000, longestMs],
])('while reports keep coming, inserts take %s', async (_, insertMs, expectedPeriod) => {
  const { blocks, post, stored } = openStore(() => insertMs)
  await flow(post, 100, 60_000)
  const starts = blocks.map(([startedAt]) => startedAt)
  const periods = starts.slice(2).map((startedAt, index) => startedAt - (starts[index + 1] as number))
  expect(Math.min(...periods)).toBeGreaterThanOrEqual(expectedPeriod - 100)
  expect(Math.max(...periods)).toBeLessThanOrEqual(expectedPeriod + 100)
  await vi.advanceTimersByTimeAsync(2 * longestMs)
  expect(stored()).toBe(600)
})

test('a block is due at once with its most posts, and fills further while another is inserted', async () => {
  const { blocks, post } = openStore(() => 3_000, { gatherMs: 500, posts: 10 })
  await flow(post, 100, 4_000)
  expect(blocks.map(([, posts]) => posts).slice(0, 2)).toEqual([5, 30])
})

test('posts that come faster than timers fire do not put off the block that is due', async () => {
  const { blocks, post } = openStore(() => 10)
  await flow(post, 0.25, postMs + 5)
  expect(blocks.length).toBe(1)
})

test('a store that is hurried or closed inserts what waits at once', async () => {
  const { blocks, store, post, stored } = openStore(() => 1_000)
  post()
  await vi.advanceTimersByTimeAsync(postMs + 1_000)
  post()
  store.hurry()
  await vi.advanceTimersByTimeAsync(0)
  expect(blocks.length).toBe(2)
  await vi.advanceTimersByTimeAsync(1_000)
  post()
  const closed = store.close()
  await vi.advanceTimersByTimeAsync(2_000)
  await closed
  expect(blocks.length).toBe(3)
  expect(stored()).toBe(3)
})
