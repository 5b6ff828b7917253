import { expect, test } from 'vitest'
import { blockLimits } from '../../../app/collector/log-sender.ts'
import * as durations from '../../../schema/durations.ts'

const { gatherDurations, blockAttemptMs, lookupTimeoutMs } = durations
const fiveSeconds = 5_000

test('an insert whose quorum is never complete is completed without one in its attempt', () => {
  expect(durations.quorumTimeoutMs + durations.inStepTimeoutMs).toBeLessThan(blockAttemptMs)
})

test('a gathered block is due after 5 s at most', () => {
  expect(gatherDurations.postMs).toBeLessThan(gatherDurations.longestMs)
  expect(gatherDurations.lineMs).toBeLessThan(gatherDurations.longestMs)
  expect(gatherDurations.longestMs).toBe(fiveSeconds)
  const { gatherMs, longestGatherMs } = blockLimits
  expect([gatherMs, longestGatherMs]).toEqual([gatherDurations.postMs, gatherDurations.longestMs])
})

test('a revoked key and a deleted site are unknown to the API within 5 s', () => {
  expect(Math.max(durations.keyTtlMs, lookupTimeoutMs)).toBeLessThan(fiveSeconds)
})

test('a rotated token is unknown to the collector within 10 s', () => {
  expect(durations.siteTtlMs + lookupTimeoutMs).toBeLessThan(2 * fiveSeconds)
})

test('when a place is forgotten, each block that a collector began by it is in the import log', () => {
  // Sites and shards are read together, by two reads.
  const known = durations.siteTtlMs + 2 * lookupTimeoutMs
  expect(durations.forgottenMs).toBeGreaterThan(known + fiveSeconds)
  expect(durations.forgottenMs).toBeGreaterThan(durations.keyTtlMs + lookupTimeoutMs)
})

test('a block that is in the import log ends before a command gives up its wait', () => {
  expect(durations.acknowledgedMs).toBeGreaterThan(blockAttemptMs)
})

test('an insert ends while its started step still holds back the order of storing', () => {
  const { startedStepMs, longestInsertMs, clockToleranceMs, storingHoldMs } = durations
  expect(startedStepMs + longestInsertMs + clockToleranceMs).toBeLessThan(storingHoldMs)
})
