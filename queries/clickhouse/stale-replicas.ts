import { setTimeout as sleep } from 'node:timers/promises'
import { isNamed } from './error-codes.ts'

type Settings = Readonly<Record<string, string>>

/** Pauses within the 3 s after which a read of a dead shard is refused. */
const pausesMs = [100, 200, 400, 800]

const anyReplica = { max_replica_delay_for_distributed_queries: '0' }

/**
 * Repeats a read for a moment in which every replica of its shard lacks a part that another has: they fetch parts of inserts.
 * Without Keeper none can know whether it lacks one, and reads go on where nothing waits to be fetched.
 * @param areInStep whether every replica responds, and has the parts that it knows of.
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
    }
    if (await areInStep()) return read(anyReplica)
    await sleep(pauseMs, undefined, { signal })
  }
  return read({})
}
