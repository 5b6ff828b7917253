import type { TestProject } from 'vitest/node'
import { startCluster } from './cluster.ts'
import { startRedis } from './redis.ts'

/** A cluster of two shards and one redis-server for all test files of the project. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const [cluster, redis] = await Promise.all([startCluster(), startRedis()])
  const { readUrl, analystUrl, writeUrl } = cluster
  project.provide('servers', { readUrl, analystUrl, writeUrl, redisUrl: redis.url })
  return async () => {
    await Promise.all([cluster.end(), redis.stop()])
  }
}
