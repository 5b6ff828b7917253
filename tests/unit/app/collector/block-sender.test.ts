import { expect, test } from 'vitest'
import { senderTimeouts } from '../../../../app/collector/block-sender.ts'
import { blockLimits } from '../../../../app/collector/report-store.ts'

test('a post has its response before a proxy gives up after 60 s', () => {
  const { startTimeoutMs, insertTimeoutMs, settleTimeoutMs, doneTimeoutMs } = senderTimeouts
  const { milliseconds, queueMilliseconds, failureMilliseconds } = blockLimits
  const ofBlock = startTimeoutMs + insertTimeoutMs + settleTimeoutMs + doneTimeoutMs
  expect([milliseconds, queueMilliseconds, ofBlock, failureMilliseconds]).toEqual([500, 15_000, 37_000, 10_000])
  expect(milliseconds + queueMilliseconds + ofBlock).toBeLessThan(55_000)
})
