import type { Database } from '../../queries/clickhouse/database.ts'
import { type CheckOptions, checkRollups, differencesListed, type RollupCheck } from './check-rollups.ts'

/** Checks one shard after the other; one server is one shard. Each counts equally in the progress. */
export async function checkEveryShard(
  shards: readonly Database[],
  { onProgress, ...options }: CheckOptions = {},
): Promise<RollupCheck> {
  let [checked, different] = [0, 0]
  const differences = []
  for (const [index, shard] of shards.entries()) {
    const check = await checkRollups(shard, {
      ...options,
      onProgress: (done, total, step) => onProgress?.(index * total + done, shards.length * total, step),
    })
    checked += check.checked
    different += check.different
    differences.push(...check.differences)
  }
  return { checked, different, differences: differences.slice(0, differencesListed) }
}
