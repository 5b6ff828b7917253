import { setImmediate as settled } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createResponseCache } from '../../../../app/pipeline/cache/response-cache.ts'
import { toRepresentation } from '../../../../app/pipeline/conditional-response.ts'
import type { Read } from '../../../../queries/sql/query.ts'
import { importVersionTtlMs } from '../../../../schema/durations.ts'
import type { ImportStep } from '../../../../schema/rules/import-version.ts'
import { numberOfCases } from '../../../support/number-of-cases.ts'

/** A block of one report: its rows become visible within its import. */
const block = fc.record({
  startedAt: fc.nat(8_000),
  untilVisible: fc.integer({ min: 1, max: 600 }),
  untilDone: fc.integer({ min: 1, max: 600 }),
})

const request = fc.record({
  at: fc.nat(10_000),
  question: fc.constantFrom('a', 'b'),
  isShared: fc.boolean(),
  lookupMs: fc.nat(300),
  loadMs: fc.nat(4_000),
})

/** Milliseconds that pass only while every promise waits. */
function createTimeline() {
  // Not 0, which lru-cache takes for no time.
  let now = 1
  const due: { at: number; run: () => void }[] = []
  const sleep = (ms: number) => new Promise<void>((run) => due.push({ at: now + ms, run }))
  async function pass(): Promise<void> {
    for (await settled(); due.length > 0; await settled()) {
      due.sort((a, b) => a.at - b.at)
      const next = due.shift() as (typeof due)[number]
      now = next.at
      next.run()
    }
  }
  return { sleep, pass, now: () => now }
}

test('a response has every report that was visible its age before the request, and its age is at most a version’s life', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(block, { maxLength: 12 }),
      fc.array(request, { minLength: 1, maxLength: 40 }),
      async (blocks, requests) => {
        const { sleep, pass, now } = createTimeline()
        const cache = createResponseCache(now)
        const steps: ImportStep[] = []
        const visibleAt: number[] = []
        const log = (token: string, state: string) =>
          steps.push({ token, state, recordedAt: new Date(now()).toISOString() })

        async function runBlock({ startedAt, untilVisible, untilDone }: (typeof blocks)[number], token: number) {
          await sleep(startedAt)
          log(`${token}`, 'started')
          await sleep(untilVisible)
          visibleAt.push(now())
          await sleep(untilDone)
          log(`${token}`, 'done')
        }

        async function runRequest({ at, question, isShared, lookupMs, loadMs }: (typeof requests)[number]) {
          await sleep(at)
          const read: Read = async ({ row }) => {
            const found = steps.map((step) => row.parse(step))
            await sleep(lookupMs)
            return found
          }
          const load = async () => {
            const count = visibleAt.length
            await sleep(loadMs)
            return toRepresentation(`${count}`)
          }
          const signal = () => new AbortController().signal
          const found = await cache.getOrLoad({ tenantId: 't', key: question, isShared, read, signal, load })
          expect(found.ageMs).toBeLessThanOrEqual(importVersionTtlMs)
          const had = visibleAt.filter((time) => time < at - found.ageMs).length
          expect(Number(found.representation.plain)).toBeGreaterThanOrEqual(had)
        }

        const running = Promise.all([...blocks.map(runBlock), ...requests.map(runRequest)])
        await Promise.all([running, pass()])
      },
    ),
    { numRuns: numberOfCases(200) },
  )
})
