import { setTimeout as sleep } from 'node:timers/promises'
import { isNamed } from './error-codes.ts'

type Settings = Readonly<Record<string, string>>

const pausesMs = [100, 200, 400, 800]

const anyReplica = { max_replica_delay_for_distributed_queries: '0' }

/**
 * Repeats a read for a moment in which every replica of its shard lacks a part that another has: they fetch parts of
 * inserts. Without Keeper no replica can know whether it lacks a part, and reads continue if nothing is queued. Parts
 * that only a dead replica may have are not waited for.
 * @param areInStep true if every replica has the parts that it knows of. Rejects if a replica does not respond.
 */
export async function whileReplicasAreStale<Result>(
  read: (settings: Settings) => Promise<Result>,
  areInStep: () => Promise<boolean>,
  signal: AbortSignal,
): Promise<Result> {
  for (const pauseMs of pausesMs) {
    try {
      return await read({})
    } catch (error) {
      if (!isNamed(error, 'ALL_REPLICAS_ARE_STALE') || signal.aborted) throw error
      const inStep = await areInStep().catch(() => Promise.reject(error))
      if (inStep) return read(anyReplica)
    }
    await sleep(pauseMs, undefined, { signal })
  }
  return read({})
}
