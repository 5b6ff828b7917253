import { expect, test } from 'vitest'
import { createCircuitBreaker } from '../../../../queries/clickhouse/circuit-breaker.ts'

/** A breaker whose probes end when the test settles them, in order. */
function aBreaker() {
  const probes: { readonly resolve: () => void; readonly reject: (error: Error) => void }[] = []
  const outages: (string | undefined)[] = []
  const breaker = createCircuitBreaker(
    () => new Promise<void>((resolve, reject) => probes.push({ resolve, reject })),
    (error) => outages.push(error?.message),
  )
  return { breaker, probes, outages }
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

test('a circuit breaker reports an outage when it begins and when it ends, and no probe that succeeds', async () => {
  const { breaker, probes, outages } = aBreaker()
  breaker.suspect()
  probes[0]?.resolve()
  await breaker.admit()
  breaker.suspect()
  for (const at of [1, 2]) {
    const read = breaker.admit()
    probes[at]?.reject(new Error(`probe ${at}`))
    await expect(read).rejects.toThrow(`probe ${at}`)
  }
  expect(outages).toEqual(['probe 1'])
  const read = breaker.admit()
  probes[3]?.resolve()
  await read
  expect(outages).toEqual(['probe 1', undefined])
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
