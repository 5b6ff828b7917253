import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { Query } from '../../queries/sql/query.ts'
import { rowCount } from '../../queries/sql/rows.ts'
import { sql, text, uuid } from '../../queries/sql/sql.ts'
import { collectorTokenPrefix } from '../log-import-steps.ts'
import type { Shard } from './open-cluster.ts'

const pollMs = 100

/**
 * Waits for the acknowledgement of each insert block of the tenant in flight. A retry on another shard, which does not
 * know the block's token, would store a duplicate. Throws after `timeoutMs`.
 */
export async function untilAcknowledged(
  shards: readonly Pick<Shard, 'database'>[],
  tenantId: string,
  timeoutMs: number,
  onWait: () => void,
): Promise<void> {
  const begun = new Map((await latestSteps(shards, tenantId)).filter(([, { started, done }]) => started >= done))
  if (begun.size > 0) onWait()
  const deadline = Date.now() + timeoutMs
  while (begun.size > 0) {
    if (Date.now() > deadline) {
      throw new Error('A collector has an unacknowledged block: run the command again after the collector has sent it')
    }
    await sleep(pollMs)
    for (const [token, { done }] of await latestSteps(shards, tenantId)) {
      if (done > (begun.get(token)?.done ?? 0)) begun.delete(token)
    }
  }
}

const stepsRow = z.object({ token: z.string(), started: rowCount, done: rowCount })
type Steps = z.infer<typeof stepsRow>

/** A collector's latest steps, in milliseconds since the Unix epoch, 0 for none. */
const listCollectorSteps = (tenantId: string): Query<Steps> => ({
  name: 'listCollectorSteps',
  statement: sql`
    SELECT token,
      toUnixTimestamp64Milli(maxIf(recorded_at, state = 'started')) AS started,
      toUnixTimestamp64Milli(maxIf(recorded_at, state = 'done')) AS done
    FROM import_log_by_time
    WHERE tenant_id = ${uuid(tenantId)} AND startsWith(token, ${text(collectorTokenPrefix)})
    GROUP BY token`,
  row: stepsRow,
  pool: 'lookup',
})

/** Latest steps by token. A block can begin on one shard and end on another. */
async function latestSteps(shards: readonly Pick<Shard, 'database'>[], tenantId: string): Promise<[string, Steps][]> {
  const rows = await Promise.all(shards.map(({ database }) => database.read(listCollectorSteps(tenantId))))
  const latest = new Map<string, Steps>()
  for (const row of rows.flat()) {
    const { started = 0, done = 0 } = latest.get(row.token) ?? {}
    latest.set(row.token, { ...row, started: Math.max(started, row.started), done: Math.max(done, row.done) })
  }
  return [...latest]
}
