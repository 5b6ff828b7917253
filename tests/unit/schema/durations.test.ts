import { expect, test } from 'vitest'
import { blockLimits } from '../../../app/collector/block-limits.ts'
import { connectionLimits } from '../../../app/http/listen.ts'
import * as durations from '../../../schema/durations.ts'

const { gatherDurations, postTimeouts, lookupTimeoutMs } = durations
const { queueTimeoutMs, startTimeoutMs, insertTimeoutMs, settleTimeoutMs, doneTimeoutMs } = postTimeouts

/** Of a block, from its `started` step to its `done`. */
const ofRecordedBlock = insertTimeoutMs + settleTimeoutMs + doneTimeoutMs
const fiveSeconds = 5_000

test('a post has its response before a proxy gives up after 60 s', () => {
  expect(queueTimeoutMs + startTimeoutMs + ofRecordedBlock).toBeLessThan(durations.proxyTimeoutMs - fiveSeconds)
})

test('an insert whose quorum is never complete is completed without one before its post is refused', () => {
  expect(durations.quorumTimeoutMs + durations.inStepTimeoutMs).toBeLessThan(insertTimeoutMs)
  expect(durations.quorumTimeoutMs).toBeLessThan(startTimeoutMs)
})

test('a gathered block is due long before its posts are refused', () => {
  expect(gatherDurations.postMs).toBeLessThan(gatherDurations.longestMs)
  expect(gatherDurations.lineMs).toBeLessThan(gatherDurations.longestMs)
  expect(2 * gatherDurations.longestMs).toBeLessThan(queueTimeoutMs)
  const { gatherMs, longestGatherMs } = blockLimits
  expect([gatherMs, longestGatherMs]).toEqual([gatherDurations.postMs, gatherDurations.longestMs])
})

test('posts of two blocks, one inserted and one waiting, have connections', () => {
  expect(2 * blockLimits.posts).toBeLessThan(connectionLimits.maxConnections)
})

test('a revoked key and a deleted site are unknown to the API within 5 s', () => {
  expect(Math.max(durations.keyTtlMs, lookupTimeoutMs)).toBeLessThan(fiveSeconds)
})

test('a rotated token is unknown to the collector within 10 s', () => {
  expect(durations.siteTtlMs + lookupTimeoutMs).toBeLessThan(2 * fiveSeconds)
})

test('when a site or place is forgotten, each block that a collector began by it is in the import log', () => {
  // A site is looked up, then its tenant's shard, each known for its lifetime.
  const known = durations.siteTtlMs + 2 * lookupTimeoutMs
  expect(durations.forgottenMs).toBeGreaterThan(known + queueTimeoutMs + startTimeoutMs)
  expect(durations.forgottenMs).toBeGreaterThan(durations.keyTtlMs + lookupTimeoutMs)
})

test('a block that is in the import log ends before a command gives up its wait', () => {
  expect(durations.acknowledgedMs).toBeGreaterThan(ofRecordedBlock)
})
