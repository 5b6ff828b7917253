import { expect } from 'vitest'
import { createResponseCache } from '../../app/pipeline/cache/response-cache.ts'
import { toRepresentation } from '../../app/pipeline/conditional-response.ts'
import type { Read } from '../../queries/sql/query.ts'
import type { ImportStep } from '../../schema/rules/import-version.ts'

interface RequestOptions {
  readonly text?: string
  readonly tenantId?: string
  readonly isShared?: boolean
  /** Within the load. */
  readonly meanwhile?: () => void | Promise<void>
}

class CacheMiss extends Error {}

/** A response cache with a clock and an import log of its own, which counts loads and version lookups. */
export function createCacheFixture() {
  const steps: ImportStep[] = []
  let lookups = 0
  let failure: Error | undefined
  let held: Promise<void> | undefined
  const clock = { now: 1 }
  const signal = () => new AbortController().signal
  const cache = createResponseCache(() => clock.now)
  const read: Read = async ({ row }) => {
    lookups++
    const found = steps.map((step) => row.parse(step))
    await held
    if (failure) throw failure
    return found
  }

  /** How often the request was loaded: 0 for a hit, 1 for a miss. */
  async function request(
    key: string,
    { text = 'body', tenantId = 'tenant', isShared = false, meanwhile = async () => {} }: RequestOptions = {},
  ): Promise<number> {
    let loads = 0
    const load = async () => {
      loads++
      await meanwhile()
      return toRepresentation(text)
    }
    const { cacheHit, representation } = await cache.getOrLoad({ key, tenantId, isShared, read, signal, load })
    expect(representation.plain).toBe(text)
    if (cacheHit) expect(loads).toBe(0)
    return loads
  }

  /** The cached body; undefined for a miss, after which nothing is stored. */
  async function cached(key: string, tenantId = 'tenant'): Promise<unknown> {
    const load = () => Promise.reject(new CacheMiss())
    return cache
      .getOrLoad({ key, tenantId, isShared: false, read, signal, load })
      .then(({ representation }) => representation.plain)
      .catch((error: unknown) => {
        if (!(error instanceof CacheMiss)) throw error
        return undefined
      })
  }

  function wait(ms: number): void {
    clock.now += ms
  }

  const log = (state: string) => {
    steps.push({ token: `${steps.length >> 1}`, state, recordedAt: new Date(steps.length).toISOString() })
  }
  const startImport = () => log('started')
  const endImport = () => log('done')

  function importOnce(): void {
    startImport()
    endImport()
  }

  function failWith(error: Error | undefined): void {
    failure = error
  }

  /** Holds every version lookup until the function it returns is called. */
  function holdLookups(): () => void {
    let release = () => {}
    held = new Promise((resolve) => {
      release = resolve
    })
    return () => release()
  }

  return { wait, request, cached, holdLookups, startImport, endImport, importOnce, failWith, lookups: () => lookups }
}
