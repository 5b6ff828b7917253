import { LRUCache } from 'lru-cache'
import { siteTtlMs } from '../../schema/durations.ts'
import type { StoredReport } from '../../schema/stored-report.ts'
import { unavailable } from './collector-error.ts'
import type { ReportStore } from './report-store.ts'

const maxTenants = 50_000

/**
 * A store of blocks for each shard of a cluster, so that reports of one wait for no other. A shard that is added later gets
 * its store at its first report.
 * @param shardCount shards whose stores are opened at once.
 * @param shardOf the number of a tenant's shard; a failure is the first shard's, whose insert finds the tenant's itself.
 * @param onNewShard called with the number of a shard that was added later.
 */
export async function openShardStores(
  shardCount: number,
  open: (shard: number) => Promise<ReportStore>,
  shardOf: (tenantId: string) => Promise<number>,
  onNewShard: (shard: number) => void,
): Promise<ReportStore> {
  const all: ReportStore[] = []
  const opened = new Map<number, Promise<ReportStore>>()
  async function openStore(shard: number): Promise<ReportStore> {
    if (shard > shardCount) onNewShard(shard)
    const store = await open(shard)
    all.push(store)
    if (shard > shardCount) store.sendLeftovers()
    return store
  }
  function storeOf(shard: number): Promise<ReportStore> {
    const store = opened.get(shard) ?? openStore(shard)
    opened.set(shard, store)
    // A folder that cannot be made now can be later.
    store.catch(() => opened.delete(shard))
    return store
  }
  await Promise.all(Array.from({ length: shardCount }, (_, index) => storeOf(index + 1)))
  const shards = new LRUCache<string, { readonly shard: number }>({
    max: maxTenants,
    ttl: siteTtlMs,
    allowStaleOnFetchRejection: true,
    fetchMethod: async (tenantId) => ({ shard: await shardOf(tenantId) }),
  })
  return {
    async store(reports: readonly StoredReport[]) {
      const found = await shards.fetch(reports[0]?.tenantId ?? '').catch(() => undefined)
      const store = await storeOf(found?.shard ?? 1).catch((error: Error) => Promise.reject(unavailable(error)))
      await store.store(reports)
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
