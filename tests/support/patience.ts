import type { RedisTimeouts } from '../../app/budgets/redis-budgets.ts'
import { blockLimits } from '../../app/collector/log-sender.ts'
import { type ConnectOptions, connect } from '../../queries/clickhouse/client.ts'
import type { Database } from '../../queries/clickhouse/database.ts'
import { type QueryPools, queryPools } from '../../queries/clickhouse/query-pools.ts'

/** Milliseconds that no response takes, however busy the machine is. */
export const patientMs = 300_000
/** Of a read, which ClickHouse ends then too: the most that the analyst may set. */
const patientReadMs = 120_000

/** Deadlines that end nothing. Tests of deadlines have their own, or the product's, which are those of `connect`. */
export const patience = {
  pools: Object.fromEntries(
    Object.entries(queryPools).map(([name, pool]) => [
      name,
      { ...pool, timeoutMs: Math.max(pool.timeoutMs, patientReadMs) },
    ]),
  ) as QueryPools,
  aliveTimeoutMs: patientMs,
  pingTimeoutMs: patientMs,
  exportWaitMs: patientMs,
} satisfies ConnectOptions

/** The patient pools, and this timeout of some. */
export const poolsWithTimeout = (timeoutMs: number, ...names: (keyof QueryPools)[]): QueryPools => ({
  ...patience.pools,
  ...Object.fromEntries(names.map((name) => [name, { ...queryPools[name], timeoutMs }])),
})

/** Of Redis budgets. */
export const patientTimeouts: RedisTimeouts = {
  command: patientMs,
  ready: patientMs,
  connect: patientMs,
  silence: patientMs,
}

/** Of the API's connections, whose response the patient reads delay. */
export const patientConnections = { requestTimeoutMs: patientMs, idleTimeoutMs: patientMs }

/** Times of a collector's blocks, without rests: a report would wait for 5 s on a busy machine. */
export const patientBlocks = {
  limits: { longestGatherMs: blockLimits.gatherMs },
  timeouts: { attemptMs: patientMs, longestAttemptMs: patientMs, longestPauseMs: 500 },
}

/** @param url as `connect` takes it. */
export const connectPatiently = (url: string): Database => connect(url, patience)
