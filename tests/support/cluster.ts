/**
 * @module Shards that query each other over native connections. The embedded engine has no Keeper, so there are no
 * replicas.
 */

import { cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Replication, shardDatabase } from '../../clickhouse/cluster/on-cluster.ts'
import { type Cluster, openCluster } from '../../clickhouse/cluster/open-cluster.ts'
import { requireShard, shardCollection } from '../../clickhouse/cluster/tenant-shards.ts'
import { ofEachUser, passwordPath, type User } from '../../clickhouse/engine/passwords.ts'
import { type Engine, startEngine } from '../../clickhouse/engine/start-engine.ts'
import { migrate } from '../../clickhouse/migrate.ts'
import type { Database } from '../../queries/clickhouse/database.ts'
import { killEngine } from './engine.ts'
import { freePort } from './free-port.ts'
import { patience } from './patience.ts'

const front = 'default'
/** Holds what brings the rows of small tables to the other nodes. */
const copies = `${front}_copies`

/** Tables without replicas. A small table is one on each node, and a view of it sends its inserts to the others. */
export const unreplicated: Replication = {
  createDatabases: (front, shards) => [front, shards, copies].map((name) => `CREATE DATABASE IF NOT EXISTS ${name}`),
  everywhere(statement, front) {
    const [, table = ''] = /TABLE (?:IF (?:NOT )?EXISTS )?(\w+)/.exec(statement) ?? []
    const others = `ENGINE = Distributed('${copies}', '${front}', '${table}')`
    // An insert that came from another node has that node's query id.
    const own = `SELECT * FROM ${front}.${table} WHERE queryID() = initialQueryID()`
    const view = `CREATE MATERIALIZED VIEW IF NOT EXISTS ${table}_mv TO ${table} AS ${own}`
    // Of the table alone: what sends its inserts to the others stores nothing.
    if (/^ALTER TABLE \w+\s+MODIFY SETTING\b/.test(statement)) return [{ database: front, statement }]
    if (statement.startsWith('ALTER')) {
      return [
        // First, so that a view made meanwhile by another run finds each of its columns.
        { database: copies, statement },
        { database: front, statement },
        // Its columns are those of the table when it was made.
        { database: copies, statement: `DROP VIEW IF EXISTS ${table}_mv` },
        { database: copies, statement: view },
      ]
    }
    if (statement.startsWith('DROP')) {
      return [
        { database: copies, statement: `DROP VIEW IF EXISTS ${table}_mv` },
        { database: copies, statement },
        { database: front, statement },
      ]
    }
    return [
      { database: front, statement },
      { database: copies, statement: `CREATE TABLE IF NOT EXISTS ${table} AS ${front}.${table} ${others}` },
      { database: copies, statement: view },
    ]
  },
  sharded: (statement) => statement,
  runsOn: 'every node',
  settings: {},
}

export interface TestCluster {
  readonly engines: readonly Engine[]
  /** Every node, as `connect` takes them. */
  readonly readUrl: string
  readonly analystUrl: string
  readonly writeUrl: string
  /** As the writer. */
  readonly cluster: Cluster
  /** A shard's own tables. */
  shardDatabase(shard: number): Database
  /** Kills the engines and removes their directories. */
  end(): Promise<void>
}

interface ClusterOptions {
  readonly shards?: number
  readonly isMigrated?: boolean
  /** Users beside those of users.xml. */
  readonly usersXml?: string
}

/** Starts a node for each shard; call `end()` in `afterAll`. */
export async function startCluster({
  shards = 2,
  isMigrated = true,
  usersXml,
}: ClusterOptions = {}): Promise<TestCluster> {
  const root = mkdtempSync(join(tmpdir(), 'cluster-test-'))
  const tcpPorts = await Promise.all(Array.from({ length: shards }, freePort))
  const passwords = ofEachUser((user) => user.charAt(0).repeat(32))
  const engines = await Promise.all(
    tcpPorts.map(async (tcpPort, index) => {
      const dataDir = join(root, String(index + 1))
      // A folder of its own, as the engine reads all of it.
      const settings = join(dataDir, 'settings')
      mkdirSync(settings, { recursive: true })
      ofEachUser((user) => writeFileSync(passwordPath(dataDir, user), passwords[user]))
      const [configFile, usersFile] = [join(settings, 'config.xml'), join(settings, 'users.xml')]
      writeFileSync(usersFile, usersOf(readFileSync(join(server, 'users.xml'), 'utf8')))
      cpSync(join(server, 'users.d'), join(settings, 'users.d'), { recursive: true })
      writeFileSync(join(settings, 'users.d', 'node.xml'), nodeUsers)
      if (usersXml) writeFileSync(join(settings, 'users.d', 'own.xml'), usersXml)
      writeFileSync(configFile, configOf(index + 1, tcpPorts, usersFile))
      return startEngine({
        dataDir,
        port: await freePort(),
        tcpPort,
        configFile,
        environment: { READER_PASSWORD: passwords.reader },
      })
    }),
  )
  const hosts = engines.map(({ port }) => `127.0.0.1:${port}`).join(',')
  const urlOf = (user: User) => `http://${user}:${passwords[user]}@${hosts}/${front}`
  const cluster = await openCluster(urlOf('writer'), patience)
  if (isMigrated) await migrate(cluster.client, { cluster: { cluster, replication: unreplicated } })
  return {
    engines,
    readUrl: urlOf('reader'),
    analystUrl: urlOf('analyst'),
    writeUrl: urlOf('writer'),
    cluster,
    shardDatabase: (shard) => requireShard(cluster, shard).database,
    async end() {
      await cluster.close()
      await Promise.all(engines.map(killEngine))
      await rm(root, { recursive: true, force: true })
    },
  }
}

const server = fileURLToPath(new URL('../../clickhouse/server', import.meta.url))

/** Row policies of the databases `reports` and `reports_shard`, in this cluster's. */
function usersOf(users: string): string {
  const policies = (database: string) => new RegExp(`<${database}>\\s*<\\w+><filter>tenant_id.*?</${database}>`, 's')
  const [[ofFront = ''] = [], [ofShards = ''] = []] = ['reports', 'reports_shard'].map(
    (name) => users.match(policies(name)) ?? [],
  )
  const own = ofFront.replaceAll('reports>', `${front}>`) + ofShards.replaceAll('reports_shard>', `${front}_shard>`)
  return users.replace(policies('default'), own).replaceAll('ON reports_shard.', `ON ${front}_shard.`)
}

/** To cancel a read cuts a native connection, which ends an embedded engine; so those whose client left run to their end. */
const nodeUsers = `<clickhouse>
    <profiles><reader><cancel_http_readonly_queries_on_client_close>0</cancel_http_readonly_queries_on_client_close></reader></profiles>
</clickhouse>`

/** clickhouse/engine/config.xml, and the other nodes. */
function configOf(number: number, tcpPorts: readonly number[], usersFile: string): string {
  const replicas = tcpPorts.map((port) => `<replica><host>127.0.0.1</host><port>${port}</port></replica>`)
  const cluster = (name: string, shards: readonly string[]) =>
    `<${name}><secret>test</secret>${shards.map((shard) => `<shard>${shard}</shard>`).join('')}</${name}>`
  return `<clickhouse>
    <listen_host>127.0.0.1</listen_host>
    <user_directories><users_xml><path>${usersFile}</path></users_xml></user_directories>
    <background_schedule_pool_size>16</background_schedule_pool_size>
    <!-- A mutation that finds no free thread tries again up to a second later by default. -->
    <background_processing_pool_task_sleep_seconds_when_no_work_random_part>0.02</background_processing_pool_task_sleep_seconds_when_no_work_random_part>
    <background_merges_mutations_concurrency_ratio>4</background_merges_mutations_concurrency_ratio>
    <log-level>warning</log-level>
    <macros><cluster>test</cluster><shard>0${number}</shard><replica>1</replica></macros>
    <named_collections>
        <${shardCollection}><user>reader</user><password from_env="READER_PASSWORD"/></${shardCollection}>
    </named_collections>
    <remote_servers replace="true">
        ${cluster(shardDatabase(front), replicas)}
        ${cluster(copies, [replicas.filter((_, index) => index !== number - 1).join('')])}
    </remote_servers>
</clickhouse>`
}

const ofEveryShard = /^(CREATE|DROP TABLE|RENAME TABLE|ALTER TABLE(?!.* DROP PARTITION))/s

/** The shards of a cluster with statements that run on every one of them, as in a database of the engine Replicated. */
export function withSharedDdl(cluster: Cluster): Cluster {
  const databases = cluster.shards.map(({ database }) => database)
  const shards = cluster.shards.map((shard) => {
    const database: Database = {
      ...shard.database,
      read: (query, options) =>
        query.name === 'findEngine'
          ? Promise.resolve([query.row.parse({ engine: 'Replicated' })])
          : shard.database.read(query, options),
      async command(statement, options) {
        const targets = ofEveryShard.test(statement) ? databases : [shard.database]
        for (const target of targets) await target.command(statement, options)
      },
    }
    return { ...shard, database }
  })
  return { ...cluster, shards }
}
