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

/** What a caller of createRedisBudgets may choose. */
export interface RedisBudgetsOptions {
  /** Hears the first connection error of each outage. */
  readonly onError?: (error: Error) => void
  /** Replaces Redis's own clock: whole microseconds since the Unix epoch. */
  readonly now?: () => number
}

/** Leaves 50 ms of the 250 ms within which rate_limit_unavailable must be answered. */
const answerWithinMilliseconds = 200

/** How long a start waits for Redis before it goes on without. */
const startWithinMilliseconds = 1000

const connection = {
  enableOfflineQueue: false,
  connectTimeout: 250,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  retryStrategy: (attempt) => Math.min(500, 25 * 2 ** Math.min(attempt, 5)),
  // Without these two, a peer that vanished without a word and a primary that became a replica would be kept for ever.
  socketTimeout: 500,
  reconnectOnError: (error) => error.message.includes('READONLY'),
  // And with the defaults of these two, recovery and `close` would take seconds.
  maxLoadingRetryTime: 500,
  disconnectTimeout: 250,
  scripts: { takeFromAll: { lua: readFileSync(new URL('take.lua', import.meta.url), 'utf8') } },
} satisfies RedisOptions

type TakeFromAll = (keyCount: number, ...keysAndArguments: (string | number)[]) => Promise<number[]>

/**
 * Keeps budgets in the Redis at `url`, one round trip a take, so that every API process spends from the same buckets.
 * Waits a second at most for Redis and starts without it: until it answers, `take` rejects.
 */
export async function createRedisBudgets(url: string, options: RedisBudgetsOptions = {}): Promise<BudgetStore> {
  const redis = new Redis(url, connection) as Redis & { takeFromAll: TakeFromAll }
  reportOutages(redis, options.onError)
  await readyOrLate(redis)

  return {
    async take(charges) {
      const keys = charges.map(bucketName)
      const paces = charges.map(bucketPace).flatMap(({ token, span }) => [token, span])
      const now = options.now?.() ?? ''
      return outcome(charges, await answer(() => redis.takeFromAll(keys.length, ...keys, now, ...paces)))
    },
    async ready() {
      const pong = redis.status === 'ready' && (await answer(() => redis.ping()).catch(() => undefined))
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

/** What Redis answers, or a BudgetUnavailableError in time, whatever the connection is doing. */
const answer = <T>(ask: () => Promise<T>): Promise<T> =>
  withTimeout(answerWithinMilliseconds, ask).catch((cause) => {
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

function readyOrLate(redis: Redis): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, startWithinMilliseconds)
    redis.once('ready', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
