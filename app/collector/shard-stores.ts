import { LRUCache } from 'lru-cache'
import { siteTtlMs } from '../../schema/durations.ts'
import type { StoredReport } from '../../schema/stored-report.ts'
import type { ReportStore } from './report-store.ts'

const maxTenants = 50_000

/**
 * A store of blocks for each shard of a cluster, so that reports of one wait for no other.
 * @param stores by number of the shard.
 * @param shardOf the number of a tenant's shard; a failure is the first shard's, whose insert finds the tenant's itself.
 */
export function createShardStores(
  stores: ReadonlyMap<number, ReportStore>,
  shardOf: (tenantId: string) => Promise<number>,
): ReportStore {
  const all = [...stores.values()]
  const shards = new LRUCache<string, { readonly shard: number }>({
    max: maxTenants,
    ttl: siteTtlMs,
    allowStaleOnFetchRejection: true,
    fetchMethod: async (tenantId) => ({ shard: await shardOf(tenantId) }),
  })
  return {
    async store(reports: readonly StoredReport[]) {
      const found = await shards.fetch(reports[0]?.tenantId ?? '').catch(() => undefined)
      const store = stores.get(found?.shard ?? 1) ?? all[0]
      await store?.store(reports)
    },
    waitingBytes: () => all.reduce((sum, store) => sum + store.waitingBytes(), 0),
    isReady: () => all.some((store) => store.isReady()),
    isRestoring: () => all.some((store) => store.isRestoring()),
    takesInserts: () => all.some((store) => store.takesInserts()),
    canSpool: async () => (await Promise.all(all.map((store) => store.canSpool()))).every(Boolean),
    sendLeftovers() {
      for (const store of all) store.sendLeftovers()
    },
    hurry() {
      for (const store of all) store.hurry()
    },
    async close() {
      await Promise.all(all.map((store) => store.close()))
    },
  }
}
