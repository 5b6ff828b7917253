import { cpSync, mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { startEngine } from '../../clickhouse/engine/start-engine.ts'
import { migrate } from '../../clickhouse/migrate.ts'
import { startTestEngine } from './engine.ts'
import { type MigratedTables, readMigratedTables } from './migrated-database.ts'
import { connectPatiently } from './patience.ts'
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
    /** Data folder of a stopped engine with every migration, to be copied. */
    migratedFolder: string
    migratedTables: MigratedTables
  }
}

interface Started {
  readonly servers: SharedServers
  readonly migratedFolder: string
  readonly migratedTables: MigratedTables
  end(): Promise<void>
}

/** One start a run, though each vitest project has an instance of this module. */
const run = globalThis as { startedServers?: { users: number; readonly started: Promise<Started> } }

/**
 * One migrated engine and one redis-server for all test files: each file makes tenants of its own. A test that kills or
 * freezes a server starts one of its own.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  run.startedServers ??= { users: 0, started: startServers() }
  const { startedServers } = run
  startedServers.users++
  const { servers, migratedFolder, migratedTables, end } = await startedServers.started
  project.provide('servers', servers)
  project.provide('migratedFolder', migratedFolder)
  project.provide('migratedTables', migratedTables)
  return async () => {
    if (--startedServers.users > 0) return
    delete run.startedServers
    await end()
  }
}

async function startServers(): Promise<Started> {
  const redisStart = startRedis()
  const { migratedFolder, migratedTables } = await makeMigratedFolder()
  const dataDir = mkdtempSync(join(tmpdir(), 'engine-test-'))
  cpSync(migratedFolder, dataDir, { recursive: true })
  const [engine, redis] = await Promise.all([startTestEngine({ dataDir }), redisStart])
  const { reader: readUrl, writer: writeUrl, analyst: analystUrl } = engine.userUrls
  return {
    servers: { readUrl, writeUrl, analystUrl, redisUrl: redis.url },
    migratedFolder,
    migratedTables,
    async end() {
      await Promise.all([engine.end(), redis.stop()])
      await rm(migratedFolder, { recursive: true })
    },
  }
}

async function makeMigratedFolder(): Promise<Pick<Started, 'migratedFolder' | 'migratedTables'>> {
  const migratedFolder = mkdtempSync(join(tmpdir(), 'migrated-'))
  const engine = await startEngine({ dataDir: migratedFolder, port: 0 })
  const database = connectPatiently(engine.userUrls.writer)
  await migrate(database)
  const migratedTables = await readMigratedTables(database)
  await database.close()
  await engine.stop()
  return { migratedFolder, migratedTables }
}
