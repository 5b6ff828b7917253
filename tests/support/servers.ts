import type { TestProject } from 'vitest/node'
import { migrate } from '../../clickhouse/migrate.ts'
import { connect } from '../../queries/clickhouse/client.ts'
import { startTestEngine } from './engine.ts'
import { startRedis } from './redis.ts'

/** Where the shared servers are; URLs carry their user. */
export interface SharedServers {
  /** As the user that can only read. */
  readonly readUrl: string
  readonly writeUrl: string
  /** As the user of people. */
  readonly analystUrl: string
  readonly redisUrl: string
}

declare module 'vitest' {
  export interface ProvidedContext {
    servers: SharedServers
  }
}

/**
 * One migrated engine and one redis-server for all test files: each file makes tenants of its own. A test that kills or
 * freezes a server starts one of its own.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const [engine, redis] = await Promise.all([startTestEngine(), startRedis()])
  const { reader: readUrl, writer: writeUrl, analyst: analystUrl } = engine.userUrls
  const database = connect(writeUrl)
  await migrate(database)
  await database.close()
  project.provide('servers', { readUrl, writeUrl, analystUrl, redisUrl: redis.url })
  return async () => {
    await Promise.all([engine.end(), redis.stop()])
  }
}
