import { readFileSync } from 'node:fs'
import { Redis, type RedisOptions } from 'ioredis'
import type { OnOutage } from '../../queries/clickhouse/circuit-breaker.ts'
import { type FaultKind, faultKind } from '../../queries/clickhouse/error-codes.ts'
import { withTimeout } from '../../queries/clickhouse/with-timeout.ts'
import {
  type BudgetCharge,
  type BudgetStore,
  BudgetUnavailableError,
  bucketName,
  budgetOutcome,
} from './budget-store.ts'
import { bucketPace, costOf } from './token-bucket.ts'

export interface RedisBudgetsOptions {
  readonly onOutage?: OnOutage
  readonly onFault?: (kind: FaultKind) => void
  /** Replaces Redis's clock: microseconds since the Unix epoch. */
  readonly now?: () => number
  readonly timeouts?: Partial<RedisTimeouts>
}

/** Timeouts in milliseconds. */
export interface RedisTimeouts {
  readonly command: number
  /** Longest wait for a connection; after it the API starts without Redis. */
  readonly ready: number
  readonly connect: number
  /** Ends connections to a peer that vanished silently; shorter pauses of the machine end none. */
  readonly silence: number
}

/** Errors of a Redis that rejects writes: after a failover the same address leads to another. */
const takesNoWrites = /\b(READONLY|MASTERDOWN|LOADING|UNBLOCKED|NOREPLICAS|CLUSTERDOWN)\b/

/** Reasons why a responding Redis refuses budgets, by error code. */
const refusals: Readonly<Record<string, string>> = {
  NOPERM:
    'its ACL denies a command or a key: grant the user of REDIS_URL the rights listed in clickhouse/production.md',
  OOM: 'it has reached maxmemory: raise it, or set maxmemory-policy volatile-ttl',
  READONLY: 'it is a replica: set REDIS_URL to the primary',
  MISCONF: 'it cannot save its data and rejects writes: fix its disk or disable snapshots',
}

function withRefusal(cause: unknown): unknown {
  const [code = ''] = /\b(?:NOPERM|OOM|READONLY|MISCONF)\b/.exec(cause instanceof Error ? cause.message : '') ?? []
  return refusals[code] ? new Error(`Redis rejects budgets (${code}): ${refusals[code]}`) : cause
}

/** A separate bucket, from which each probe takes a token like a request. */
const readinessCharge: BudgetCharge = {
  name: 'site',
  tenantId: 'readiness',
  ownerId: 'readiness',
  limit: 1_000_000,
  windowSeconds: 60,
}

/** The command's is 50 ms below the 250 ms of Rule 17. */
const defaultTimeouts: RedisTimeouts = { command: 200, ready: 1_000, connect: 250, silence: 2_000 }

const connection = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  retryStrategy: (attempt) => Math.min(500, 25 * 2 ** Math.min(attempt, 5)),
  reconnectOnError: (error) => takesNoWrites.test(error.message),
  // With the defaults, recovery and `close` would take seconds.
  maxLoadingRetryTime: 500,
  disconnectTimeout: 250,
  scripts: { takeFromAll: { lua: readFileSync(new URL('take.lua', import.meta.url), 'utf8') } },
} satisfies RedisOptions

type TakeFromAll = (keyCount: number, ...keysAndArguments: (string | number)[]) => Promise<number[]>

/** Budgets shared by all API processes, with one round trip per take. Until Redis is connected, `take` rejects. */
export async function createRedisBudgets(url: string, options: RedisBudgetsOptions = {}): Promise<BudgetStore> {
  const timeouts = { ...defaultTimeouts, ...options.timeouts }
  const times = { connectTimeout: timeouts.connect, socketTimeout: timeouts.silence }
  const redis = new Redis(url, { ...connection, ...times }) as Redis & { takeFromAll: TakeFromAll }
  reportOutages(redis, options.onOutage)
  reconnectUnlessReady(redis, timeouts.ready)
  await withTimeout(timeouts.ready, () => new Promise((resolve) => redis.once('ready', resolve))).catch(() => undefined)
  /** Works in any state of the connection. */
  const withinTimeout = <T>(command: () => Promise<T>): Promise<T> =>
    withTimeout(timeouts.command, command).catch((cause) => {
      options.onFault?.(faultKind(cause))
      throw new BudgetUnavailableError(withRefusal(cause))
    })

  const store: BudgetStore = {
    async take(charges) {
      const keys = charges.map(bucketName)
      const paces = charges.flatMap((charge) => {
        const pace = bucketPace(charge)
        return [costOf({ ...pace, tokens: charge.tokens }), pace.span]
      })
      const now = options.now?.() ?? ''
      const [allowed, ...untilFull] = await withinTimeout(() => redis.takeFromAll(keys.length, ...keys, now, ...paces))
      return budgetOutcome(allowed === 1, charges, untilFull)
    },
    async ready() {
      return store.take([readinessCharge]).then(
        () => true,
        () => false,
      )
    },
    async close() {
      redis.disconnect()
    },
  }
  return store
}

/** Takes a token like a request. Rejects with Redis's reason if it refuses. */
export async function requireRedisBudgets(url: string): Promise<void> {
  const budgets = await createRedisBudgets(url)
  await budgets.take([readinessCharge]).finally(budgets.close)
}

/** The client's ready check waits as long as Redis loads its data. */
function reconnectUnlessReady(redis: Redis, timeoutMs: number): void {
  let timer: NodeJS.Timeout | undefined
  redis.on('connect', () => {
    timer = setTimeout(() => redis.disconnect(true), timeoutMs)
  })
  for (const end of ['ready', 'close']) redis.on(end, () => clearTimeout(timer))
}

/** An outage emits an error at every attempt to reconnect; without a listener the client prints them. */
function reportOutages(redis: Redis, onOutage?: OnOutage): void {
  let reported = false
  redis.on('error', (error) => {
    if (!reported) onOutage?.(error)
    reported = true
  })
  redis.on('ready', () => {
    if (reported) onOutage?.(undefined)
    reported = false
  })
}
