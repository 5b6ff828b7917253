import perfHooks from 'node:perf_hooks'
import { afterEach, expect, test, vi } from 'vitest'
import { createProgramMetrics } from '../../../../app/http/registry.ts'

afterEach(() => vi.restoreAllMocks())

/** Seconds, of a histogram of Node with these nanoseconds. */
async function lagsOf(statistics: Readonly<Record<'max' | 'mean' | 'p50' | 'p99', number>>) {
  const { max, mean, p50, p99 } = statistics
  const percentile = (percent: number) => (percent === 50 ? p50 : p99)
  const histogram = { max, mean, min: p50, stddev: 0, percentile, enable: () => true, reset: () => undefined }
  vi.spyOn(perfHooks, 'monitorEventLoopDelay').mockReturnValue(histogram as never)
  const text = await createProgramMetrics([]).registry.metrics()
  const lag = (statistic: string) =>
    Number(new RegExp(`^nodejs_eventloop_lag_${statistic}_seconds (\\S+)$`, 'm').exec(text)?.[1])
  return { max: lag('max'), mean: lag('mean'), p50: lag('p50'), p99: lag('p99') }
}

test('the lag of an event loop at rest has no sampling interval in it', async () => {
  const interval = 100_000_000
  const lags = await lagsOf({ max: interval, mean: 101_000_000, p50: 99_900_000, p99: Number.NaN })
  expect(lags).toEqual({ max: 0, mean: expect.closeTo(0.001, 9), p50: 0, p99: 0 })
})

test('the greatest lag of an event loop is the time it was blocked', async () => {
  const { max } = await lagsOf({ max: 600_000_000, mean: 101_000_000, p50: 100_000_000, p99: 100_000_000 })
  expect(max).toBeCloseTo(0.5, 9)
})
