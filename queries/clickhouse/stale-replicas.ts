import { setTimeout as sleep } from 'node:timers/promises'
import { isNamed } from './error-codes.ts'

type Settings = Readonly<Record<string, string>>

const pausesMs = [100, 200, 400, 800]

const anyReplica = { max_replica_delay_for_distributed_queries: '0' }

/**
 * Repeats a read for a moment in which every replica of its shard lacks a part that another has: they fetch parts of inserts.
 * Without Keeper none can know whether it lacks one, and reads go on where nothing waits to be fetched.
 * A dead replica can have what others lack: nothing is waited for then.
 * @param areInStep whether every replica has the parts that it knows of. Rejects where one does not respond.
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
