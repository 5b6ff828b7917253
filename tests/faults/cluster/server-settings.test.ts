import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findRegistration } from '../../../clickhouse/cluster/drop-replica.ts'
import { replicated } from '../../../clickhouse/cluster/replicated.ts'
import { shardCollection } from '../../../clickhouse/cluster/tenant-shards.ts'
import type { Database } from '../../../queries/clickhouse/database.ts'
import { queryRows } from '../../support/database.ts'
import { startTestEngine } from '../../support/engine.ts'
import { connectPatiently } from '../../support/patience.ts'

const clickhouse = fileURLToPath(new URL('../../../clickhouse/', import.meta.url))
const readSettings = (file: string) => readFileSync(join(clickhouse, file), 'utf8')
const clusterSettings = readSettings('server/config.d/cluster.xml')

const cleanups: (() => unknown)[] = []

const environment = {
  READER_PASSWORD: 'r',
  SHARD: '02',
  REPLICA: '1',
  KEEPER_ID: '1',
  INTERSERVER_PASSWORD: 'i',
  CLUSTER_SECRET: 's',
}

/** The writer of a server that has the settings in `config.d`, as every server of a cluster. No Keeper is there. */
async function startServer(settings: string): Promise<Database> {
  const folder = mkdtempSync(join(tmpdir(), 'server-settings-'))
  const own = readSettings('engine/config.xml').replace('../server', join(clickhouse, 'server'))
  writeFileSync(join(folder, 'config.xml'), own)
  mkdirSync(join(folder, 'config.d'))
  writeFileSync(join(folder, 'config.d/cluster.xml'), settings)
  // For its syntax.
  copyFileSync(join(clickhouse, 'server/keeper.xml'), join(folder, 'config.d/keeper.xml'))
  cleanups.push(() => rmSync(folder, { recursive: true }))
  const engine = await startTestEngine({ configFile: join(folder, 'config.xml'), environment })
  const writer = connectPatiently(engine.userUrls.writer)
  cleanups.push(engine.end, writer.close)
  return writer
}

let writer: Database

beforeAll(async () => {
  writer = await startServer(clusterSettings)
})
afterAll(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup()
})

test('a server takes its macros from the environment', async () => {
  const macros = "SELECT getMacro('cluster'), getMacro('shard'), getMacro('replica')"
  expect(await queryRows(writer, macros)).toEqual([['reports', '02', '1']])
})

test('the writer finds the named collection of the dictionary, and not the one with the secret', async () => {
  expect(await queryRows(writer, 'SELECT name FROM system.named_collections')).toEqual([[shardCollection]])
})

test('a Replicated database takes the named collection with the secret, and then needs Keeper', async () => {
  const misnamed = await startServer(clusterSettings.replace('<collection_name>', '<collection_name>not_'))
  for (const statement of replicated.createDatabases('reports', 'reports_shard')) {
    // NAMED_COLLECTION_DOESNT_EXIST
    await expect(misnamed.command(statement)).rejects.toMatchObject({ code: '669' })
    // KEEPER_EXCEPTION
    await expect(writer.command(statement)).rejects.toMatchObject({ code: '999' })
  }
})

test('the writer may remove a replica that is lost', async () => {
  await writer.command('CREATE DATABASE reports')
  await writer.command("SYSTEM DROP REPLICA '01_2' FROM DATABASE reports")
  const drop = "SYSTEM DROP DATABASE REPLICA '01_2' FROM SHARD 'all' FROM DATABASE reports"
  await expect(writer.command(drop)).rejects.toThrow('Database reports is not Replicated, cannot drop replica')
  expect(await queryRows(writer, 'SELECT * FROM system.replicas')).toEqual([])
  expect(await writer.read(findRegistration({ database: 'reports', shard: 'all', replica: '01_2' }))).toEqual([])
})
