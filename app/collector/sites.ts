/**
 * @module Sites by token, in memory and in a snapshot on disk, so that a post with a known token waits for no database.
 * They are read again in the background.
 */

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import type { Read } from '../../queries/sql/query.ts'
import { type FoundSite, findSitesState, findSiteToken, listCollectorSites } from '../../queries/tenants/site-tokens.ts'
import { siteTtlMs } from '../../schema/durations.ts'
import { entitlements, reportsPerMinute as reportsPerMinuteOf } from '../../schema/plans.ts'
import { createHostLookup, sitesByPattern } from '../import/normalise/host-patterns.ts'
import { createUrlMask, type UrlMask } from '../import/normalise/url-mask.ts'
import { writeSynced } from '../program/write-synced.ts'
import { siteTokenPattern } from './site-address.ts'

export interface CollectorSite {
  readonly id: string
  readonly tenantId: string
  readonly retentionDays: number
  readonly sampleRates: Readonly<Record<string, number>>
  /** Above this number the collector stores a share. */
  readonly reportsPerMinute: number
  /** Undefined if the site stores URLs whole. */
  readonly maskUrl: UrlMask | undefined
  hasHost(host: string): boolean
}

export interface SitesOptions {
  readonly read: Read
  /** Folder of the snapshot. */
  readonly folder: string
  readonly isCluster?: boolean
  readonly ttlMs?: number | undefined
}

const maxUnknownTokens = 50_000
const snapshotEveryMs = 10_000

const snapshotFile = z.object({ format: z.literal(1), sites: z.array(z.custom<FoundSite>()) })

/** The sites on disk, written at most every ten seconds. */
function createSnapshot(path: string) {
  let saved = { text: '', at: -Infinity }
  return {
    /** Throws without a readable snapshot. */
    load: async () => snapshotFile.parse(JSON.parse(await readFile(path, 'utf8'))).sites,
    /** False if it is not written. */
    async save(text: string): Promise<boolean> {
      if (text === saved.text) return true
      if (performance.now() - saved.at < snapshotEveryMs) return false
      const before = saved
      saved = { text, at: performance.now() }
      try {
        await writeSynced(`${path}.new`, path, [text])
        return true
      } catch {
        saved = before
        return false
      }
    },
  }
}

function toCollectorSite(found: FoundSite): CollectorSite {
  const { id, tenantId, hosts, sampleRates, maxReportsPerMinute, plan, overrides } = found
  const lookup = createHostLookup(sitesByPattern([{ id, hosts }]))
  const { retentionDays } = entitlements(plan, overrides)
  const hasHost = (host: string) => lookup(host) !== undefined
  // A snapshot of an earlier release has no maximum.
  const reportsPerMinute = maxReportsPerMinute || reportsPerMinuteOf[plan]
  return { id, tenantId, retentionDays, sampleRates, reportsPerMinute, maskUrl: createUrlMask(found), hasHost }
}

export type Sites = Awaited<ReturnType<typeof openSites>>

export async function openSites({ read, folder, isCluster = false, ttlMs = siteTtlMs }: SitesOptions) {
  const snapshot = createSnapshot(join(folder, 'sites.json'))
  let byToken: ReadonlyMap<string, FoundSite> | undefined
  let shards: ReadonlyMap<string, number> = new Map()
  /** Made at a site's first post. */
  let prepared = new Map<string, CollectorSite>()
  let state: string | undefined
  let reading: Promise<void> | undefined
  let used: string | undefined

  function use(found: readonly FoundSite[]): void {
    byToken = new Map(found.map((site) => [site.token, site]))
    shards = new Map(found.map(({ tenantId, shard }) => [tenantId, shard]))
    prepared = new Map()
  }

  async function readAll(): Promise<void> {
    const [now] = await read(findSitesState)
    // The dictionary of shards can change independently.
    if (now?.state === state && !isCluster) return
    const found = await read(listCollectorSites(isCluster))
    const text = JSON.stringify({ format: 1, sites: found })
    state = now?.state
    if (text !== used) use(found)
    used = text
    // Written by a later read.
    if (!(await snapshot.save(text))) state = undefined
  }

  function refresh(): Promise<void> {
    reading ??= readAll().finally(() => {
      reading = undefined
    })
    return reading
  }

  const unknown = new LRUCache<string, { readonly exists: boolean }>({
    max: maxUnknownTokens,
    ttl: ttlMs,
    async fetchMethod(token) {
      return { exists: (await read(findSiteToken(token))).length > 0 }
    },
  })

  async function findNew(token: string): Promise<FoundSite | undefined> {
    // A guess costs one cheap read, in a separate pool.
    if (!(await unknown.fetch(token))?.exists) return undefined
    await reading
    if (!byToken?.has(token)) await refresh()
    return byToken?.get(token)
  }

  function prepare(token: string, found: FoundSite): CollectorSite {
    const site = prepared.get(token) ?? toCollectorSite(found)
    prepared.set(token, site)
    return site
  }

  try {
    use(await snapshot.load())
  } catch {
    // A missing or damaged snapshot is written by the first read.
  }
  void refresh().catch(() => undefined)
  const timer = setInterval(() => void refresh().catch(() => undefined), ttlMs).unref()

  return {
    /** Rejects with Problem(upstream_unavailable) for a token that is not in memory while ClickHouse does not respond. */
    async find(token: string): Promise<CollectorSite | undefined> {
      if (!siteTokenPattern.test(token)) return undefined
      if (!byToken) await refresh()
      const found = byToken?.get(token) ?? (await findNew(token))
      return found && prepare(token, found)
    },
    /** The first shard for a deleted tenant. */
    shardOf: (tenantId: string): number => shards.get(tenantId) ?? 1,
    /** True if posts can be accepted while ClickHouse does not respond. */
    isKnown: () => byToken !== undefined,
    close: () => clearInterval(timer),
  }
}
