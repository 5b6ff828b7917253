import { readFileSync } from 'node:fs'
import { Redis, type RedisOptions } from 'ioredis'
import { withTimeout } from '../../queries/clickhouse/with-timeout.ts'
import {
  type BudgetCharge,
  type BudgetOutcome,
  type BudgetStore,
  BudgetUnavailableError,
  bucketName,
  budgetOutcome,
} from './budget-store.ts'
import { bucketPace } from './token-bucket.ts'

export interface RedisBudgetsOptions {
  /** Gets the first connection error of each outage. */
  readonly onError?: (error: Error) => void
  /** Replaces Redis's own clock: whole microseconds since the Unix epoch. */
  readonly now?: () => number
}

/** 50 ms below the 250 ms within which rate_limit_unavailable must be sent. */
const commandTimeoutMs = 200

/** Wait for Redis at the start; after it the API starts without. */
const startTimeoutMs = 1000

const connection = {
  enableOfflineQueue: false,
  connectTimeout: 250,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  retryStrategy: (attempt) => Math.min(500, 25 * 2 ** Math.min(attempt, 5)),
  // Ends connections to a peer that vanished silently, and to a primary that became a replica.
  socketTimeout: 500,
  reconnectOnError: (error) => error.message.includes('READONLY'),
  // The defaults would make recovery and `close` take seconds.
  maxLoadingRetryTime: 500,
  disconnectTimeout: 250,
  scripts: { takeFromAll: { lua: readFileSync(new URL('take.lua', import.meta.url), 'utf8') } },
} satisfies RedisOptions

type TakeFromAll = (keyCount: number, ...keysAndArguments: (string | number)[]) => Promise<number[]>

/**
 * Budgets in the Redis at `url`, one round trip a take, so that all API processes share the buckets. Waits a second at
 * most for Redis and starts without it: until it is connected, `take` rejects.
 */
export async function createRedisBudgets(url: string, options: RedisBudgetsOptions = {}): Promise<BudgetStore> {
  const redis = new Redis(url, connection) as Redis & { takeFromAll: TakeFromAll }
  reportOutages(redis, options.onError)
  await waitUntilReady(redis)

  return {
    async take(charges) {
      const keys = charges.map(bucketName)
      const paces = charges.map(bucketPace).flatMap(({ token, span }) => [token, span])
      const now = options.now?.() ?? ''
      return outcome(charges, await withinTimeout(() => redis.takeFromAll(keys.length, ...keys, now, ...paces)))
    },
    async ready() {
      const pong = redis.status === 'ready' && (await withinTimeout(() => redis.ping()).catch(() => undefined))
      return pong === 'PONG'
    },
    async close() {
      redis.disconnect()
    },
  }
}

function outcome(charges: readonly BudgetCharge[], [allowed, ...untilFull]: number[]): BudgetOutcome {
  return budgetOutcome(allowed === 1, charges, untilFull)
}

/** Redis's reply, or BudgetUnavailableError within the timeout, in any state of the connection. */
const withinTimeout = <T>(command: () => Promise<T>): Promise<T> =>
  withTimeout(commandTimeoutMs, command).catch((cause) => {
    throw new BudgetUnavailableError(cause)
  })

/** A client without a listener prints its errors; one outage brings an error at every attempt to reconnect. */
function reportOutages(redis: Redis, onError?: (error: Error) => void): void {
  let reported = false
  redis.on('error', (error) => {
    if (!reported) onError?.(error)
    reported = true
  })
  redis.on('ready', () => {
    reported = false
  })
}

function waitUntilReady(redis: Redis): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, startTimeoutMs)
    redis.once('ready', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
