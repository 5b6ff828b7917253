import type { Database } from '../../queries/clickhouse/client.ts'
import { type CheckOptions, checkRollups, differencesListed, type RollupCheck } from './check-rollups.ts'
import type { RebuildOptions } from './rebuild-rollups.ts'

// Rollups of every shard, one shard after the other; one server is one shard.

type OnProgress = NonNullable<RebuildOptions['onProgress']>

/** Steps of a shard as a share of all shards' steps; each counts as much. */
const progressOf = (
  onProgress: OnProgress | undefined,
  index: number,
  shards: number,
): { readonly onProgress?: OnProgress } =>
  onProgress ? { onProgress: (done, total, step) => onProgress(index * total + done, shards * total, step) } : {}

export async function checkEveryShard(shards: readonly Database[], options: CheckOptions = {}): Promise<RollupCheck> {
  let [checked, different] = [0, 0]
  const differences = []
  for (const [index, shard] of shards.entries()) {
    const check = await checkRollups(shard, { ...options, ...progressOf(options.onProgress, index, shards.length) })
    checked += check.checked
    different += check.different
    differences.push(...check.differences)
  }
  return { checked, different, differences: differences.slice(0, differencesListed) }
}
