// Migrations on a cluster. Tables of tenants' rows are in a database on the shards, with a Distributed table of the
// same name in front. Views that fill them are on the shards only. Small tables, their views, dictionaries and views
// for people are in front, on every node. Inserts go to the front tables, which forward rows to their shards.

/** Tables on every node: tables without a tenant, and tables for finding a tenant. */
export const everywhere: readonly string[] = [
  ...['schema_migrations', 'migration_steps', 'report_types', 'library_files', 'library_advisories', 'collector_logs'],
  ...['tenants', 'sites', 'retired_tokens', 'api_keys', 'tenant_places', 'tenants_history', 'sites_history'],
]

/** Database of the shards' own tables. @param front the database that clients name. */
export const shardDatabase = (front: string) => `${front}_shard`

/** Dictionary of tenants' shards, by tenant. */
export const shardDictionary = 'tenant_place'

export interface ClusterStatement {
  readonly database: string
  readonly statement: string
}

/** Replication of a cluster's tables. */
export interface Replication {
  /** Statements of each node. */
  createDatabases(front: string, shards: string): readonly string[]
  /** CREATE TABLE, ALTER TABLE or DROP TABLE of a small table. */
  everywhere(statement: string, front: string): ClusterStatement[]
  /** CREATE TABLE or ALTER TABLE of a table of tenants' rows, in the shards' database. */
  sharded(statement: string): string
  readonly runsOn: 'one node' | 'every node'
  readonly settings: Readonly<Record<string, string>>
}

/** Statements on a cluster for a migration's statement on one server. Throws for other kinds. */
export function onCluster(statement: string, front: string, replication: Replication): ClusterStatement[] {
  const [, kind, name] = head.exec(statement) ?? []
  if (kind === undefined || name === undefined) throw new Error(`Unknown kind of statement: ${statement.slice(0, 80)}`)
  const shards = shardDatabase(front)
  if (kind === 'INSERT INTO') return [{ database: front, statement }]
  if (ofRollupViews.includes(kind) && name.endsWith(rollupViewEnd)) {
    if (everywhere.includes(name.slice(0, -rollupViewEnd.length))) return [{ database: front, statement }]
    return [{ database: shards, statement: withQualifiedNames(statement, front) }]
  }
  if (kind === 'CREATE MATERIALIZED VIEW' || name.endsWith(rollupViewEnd)) {
    throw new Error(`Names of materialized views, and only those, must end with ${rollupViewEnd}: ${kind} ${name}`)
  }
  if (kind.endsWith('VIEW') || kind.endsWith('DICTIONARY')) return [{ database: front, statement }]
  if (everywhere.includes(name)) return replication.everywhere(statement, front)
  if (kind === 'DROP TABLE') return [front, shards].map((database) => ({ database, statement }))
  return inFrontOf(shards, front, name, replication.sharded(statement), shardingKey(front))
}

const head =
  /^((?:CREATE|ALTER|DROP) TABLE|INSERT INTO|CREATE MATERIALIZED VIEW|(?:CREATE|CREATE OR REPLACE|DROP) (?:VIEW|DICTIONARY)) (?:IF (?:NOT )?EXISTS )?(\w+)(?![\w.])/

/** A statement without MATERIALIZED means a materialized view by this end of its name. */
const rollupViewEnd = '_mv'
const ofRollupViews = ['CREATE MATERIALIZED VIEW', 'ALTER TABLE', 'DROP VIEW']

/** A table in its database, and the Distributed table of its columns that clients name. @param key sharding key. */
function inFrontOf(
  database: string,
  front: string,
  table: string,
  statement: string,
  key?: string,
): ClusterStatement[] {
  const target = [`'${database}'`, `'${database}'`, `'${table}'`, ...(key ? [key] : [])].join(', ')
  return [
    { database, statement },
    {
      database: front,
      statement: `CREATE OR REPLACE TABLE ${table} AS ${database}.${table} ENGINE = Distributed(${target})`,
    },
  ]
}

/** Shards count from 1, and from 0 in a sharding key. A tenant without a row is on the first. */
const shardingKey = (front: string) =>
  `dictGetOrDefault('${front}.${shardDictionary}', 'shard', tuple(tenant_id), 1) - 1`

/** Views in the shards' database read small tables from the front database. */
function withQualifiedNames(statement: string, front: string): string {
  const names = new RegExp(`\\b(FROM|JOIN) (${everywhere.join('|')})\\b`, 'g')
  return statement.replaceAll(names, `$1 ${front}.$2`)
}
