import { Redis } from 'ioredis'
import { withTimeout } from '../../../queries/clickhouse/with-timeout.ts'

const redisTimeoutMs = 2_000

/** Redis's clock, in milliseconds since the Unix epoch. Rejects within two seconds if Redis does not respond. */
export async function readRedisTime(url: string): Promise<number> {
  const redis = new Redis(url, { lazyConnect: true, retryStrategy: () => null, maxRetriesPerRequest: 0 })
  let failure: Error | undefined
  // Without a listener the client prints errors; `connect` rejects only with "Connection is closed".
  redis.on('error', (error) => {
    failure = error
  })
  try {
    return await withTimeout(redisTimeoutMs, async () => {
      await redis.connect()
      const [seconds, microseconds] = await redis.time()
      return Number(seconds) * 1_000 + Number(microseconds) / 1_000
    })
  } catch (error) {
    throw failure ?? error
  } finally {
    redis.disconnect()
  }
}
