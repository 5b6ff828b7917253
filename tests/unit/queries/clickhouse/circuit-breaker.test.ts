import { expect, test } from 'vitest'
import { createCircuitBreaker } from '../../../../queries/clickhouse/circuit-breaker.ts'

/** A breaker whose probes end when the test settles them, in order. */
function aBreaker() {
  const probes: { readonly resolve: () => void; readonly reject: (error: Error) => void }[] = []
  const breaker = createCircuitBreaker(() => new Promise<void>((resolve, reject) => probes.push({ resolve, reject })))
  return { breaker, probes }
}

test('a circuit breaker admits reads without a probe until one had no response', async () => {
  const { breaker, probes } = aBreaker()
  await breaker.admit()
  expect(probes).toHaveLength(0)
  breaker.suspect()
  breaker.suspect()
  expect(probes).toHaveLength(1)
})

test('reads of a circuit breaker share one probe, and fail with it', async () => {
  const { breaker, probes } = aBreaker()
  breaker.suspect()
  const reads = Promise.allSettled([breaker.admit(), breaker.admit()])
  probes[0]?.reject(new Error('frozen'))
  expect(await reads).toMatchObject([{ reason: { message: 'frozen' } }, { reason: { message: 'frozen' } }])
  expect(probes).toHaveLength(1)
})

test('a circuit breaker probes again for a later read, and closes when a probe succeeds', async () => {
  const { breaker, probes } = aBreaker()
  breaker.suspect()
  probes[0]?.reject(new Error('frozen'))
  await expect(breaker.admit()).rejects.toThrow('frozen')
  const admitted = breaker.admit()
  probes[1]?.resolve()
  await admitted
  await breaker.admit()
  expect(probes).toHaveLength(2)
})
