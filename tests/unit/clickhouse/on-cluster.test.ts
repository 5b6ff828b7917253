import { describe, expect, test } from 'vitest'
import { everywhere, onCluster } from '../../../clickhouse/cluster/on-cluster.ts'
import { replicated } from '../../../clickhouse/cluster/replicated.ts'
import { readMigrations } from '../../../clickhouse/migration-files.ts'

const statements = (await readMigrations()).flatMap((migration) => migration.statements)
const render = (statement: string) => onCluster(statement, 'reports', replicated)
const rendered = statements.flatMap(render)
const created = (statement: string) => /^CREATE TABLE IF NOT EXISTS (\w+)/.exec(statement)?.[1] ?? ''
const hasTenant = (statement: string) => /^ {4}tenant_id +UUID|_history AS \w+$/m.test(statement)

/** Small tables with a tenant. */
const ofEveryNode = ['sites', 'api_keys', 'tenants_history', 'sites_history']

describe('every statement of the migrations', () => {
  test('has no local table, no setting of local tables and no name of a cluster', () => {
    for (const { statement } of rendered) {
      expect(statement).not.toMatch(/ENGINE = (Replacing|Aggregating|)MergeTree/)
      expect(statement).not.toMatch(/non_replicated|ON CLUSTER/)
    }
  })

  test('is run in one of two databases, views of small tables in the one of clients', () => {
    expect(new Set(rendered.map(({ database }) => database))).toEqual(new Set(['reports', 'reports_shard']))
  })

  test('keeps everything but engine and settings', () => {
    for (const statement of statements) {
      const [own] = render(statement)
      const without = (text = '') =>
        text
          .replace(/ENGINE = .*/, '')
          .replaceAll(/(non_)?replicated_deduplication_window\w* = \d+(, )?/g, '')
          .replaceAll('reports.report_types', 'report_types')
      expect(without(own?.statement)).toBe(without(statement))
    }
  })
})

test('a table of tenants’ rows lies on the shards, with a Distributed table in front; the others lie everywhere', () => {
  const tables = statements.filter((statement) => created(statement) !== '')
  expect(tables.length).toBeGreaterThan(30)
  for (const statement of tables) {
    const name = created(statement)
    const isSmall = !hasTenant(statement) || ofEveryNode.includes(name)
    expect(everywhere.includes(name), name).toBe(isSmall)
    expect(
      render(statement).map(({ database }) => database),
      name,
    ).toEqual(isSmall ? ['reports'] : ['reports_shard', 'reports'])
  }
})

test('a table of tenants’ rows', () => {
  const [own, front] = render(`CREATE TABLE IF NOT EXISTS counts
(
    tenant_id   UUID COMMENT 'The tenant'
)
ENGINE = ReplacingMergeTree(updated_at)
ORDER BY tenant_id
SETTINGS index_granularity = 1024, non_replicated_deduplication_window = 10000
COMMENT 'Counts'`)
  expect(own?.statement).toBe(`CREATE TABLE IF NOT EXISTS counts
(
    tenant_id   UUID COMMENT 'The tenant'
)
ENGINE = ReplicatedReplacingMergeTree(updated_at)
ORDER BY tenant_id
SETTINGS index_granularity = 1024, replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 31536000
COMMENT 'Counts'`)
  expect(front?.statement).toBe(
    "CREATE OR REPLACE TABLE counts AS reports_shard.counts ENGINE = Distributed('reports_shard', 'reports_shard', 'counts', dictGetOrDefault('reports.tenant_place', 'shard', tuple(tenant_id), 1) - 1)",
  )
})

test('a small table has the same path on every shard', () => {
  const [own] = render(
    'CREATE TABLE IF NOT EXISTS tenants\n(\n    id UUID\n)\nENGINE = ReplacingMergeTree(updated_at)\nORDER BY id',
  )
  expect(own?.statement).toContain(
    "ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/{cluster}', '{shard}_{replica}', updated_at)\n",
  )
  const [log] = render(
    'CREATE TABLE IF NOT EXISTS schema_migrations\n(\n    version UInt32\n)\nENGINE = ReplacingMergeTree\nORDER BY version',
  )
  expect(log?.statement).toContain(
    "ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/{cluster}', '{shard}_{replica}')\n",
  )
})

test('a materialized view reads small tables in front', () => {
  const [view] = render(
    'CREATE MATERIALIZED VIEW IF NOT EXISTS x_mv\nTO x AS\nSELECT * FROM reports WHERE a IN (SELECT a FROM report_types FINAL)',
  )
  expect(view).toEqual({
    database: 'reports_shard',
    statement:
      'CREATE MATERIALIZED VIEW IF NOT EXISTS x_mv\nTO x AS\nSELECT * FROM reports WHERE a IN (SELECT a FROM reports.report_types FINAL)',
  })
})

test('a view of a small table, and rows that a migration inserts, lie in front', () => {
  for (const statement of [
    'CREATE MATERIALIZED VIEW IF NOT EXISTS sites_history_mv\nTO sites_history AS\nSELECT id FROM sites',
    'DROP VIEW IF EXISTS sites_history_mv SYNC',
    'INSERT INTO page_scans_history\nSELECT * FROM page_scans',
  ]) {
    expect(render(statement)).toEqual([{ database: 'reports', statement }])
  }
})

test('a column of a table of tenants’ rows comes to its Distributed table too', () => {
  expect(
    render('ALTER TABLE reports\n    ADD COLUMN x String').map(({ database, statement }) => [
      database,
      statement.split(' ')[0],
    ]),
  ).toEqual([
    ['reports_shard', 'ALTER'],
    ['reports', 'CREATE'],
  ])
})

describe('a change of what migrations made', () => {
  const query = 'SELECT * FROM reports WHERE a IN (SELECT a FROM report_types FINAL)'
  const shardQuery = 'SELECT * FROM reports WHERE a IN (SELECT a FROM reports.report_types FINAL)'

  test.each([
    ['a materialized view', 'DROP VIEW IF EXISTS x_mv SYNC', ['reports_shard']],
    ['a view for people', 'DROP VIEW IF EXISTS x_named', ['reports']],
    ['a view for people', `CREATE OR REPLACE VIEW x_named AS ${query}`, ['reports']],
    ['a dictionary', 'CREATE DICTIONARY IF NOT EXISTS x (id UUID) PRIMARY KEY id', ['reports']],
    ['a dictionary', 'CREATE OR REPLACE DICTIONARY x (id UUID) PRIMARY KEY id', ['reports']],
    ['a dictionary', 'DROP DICTIONARY IF EXISTS x', ['reports']],
    ['a table of tenants’ rows, from its front on', 'DROP TABLE IF EXISTS counts SYNC', ['reports', 'reports_shard']],
    ['a small table', 'DROP TABLE IF EXISTS retired_tokens SYNC', ['reports']],
    ['a column of a small table', 'ALTER TABLE api_keys DROP COLUMN IF EXISTS x', ['reports']],
  ])('%s: %s', (_, statement, databases) => {
    expect(render(statement)).toEqual(databases.map((database) => ({ database, statement })))
  })

  test('the query of a materialized view changes on the shards alone, and reads small tables in front', () => {
    expect(render(`ALTER TABLE x_mv\n    MODIFY QUERY ${query}`)).toEqual([
      { database: 'reports_shard', statement: `ALTER TABLE x_mv\n    MODIFY QUERY ${shardQuery}` },
    ])
  })

  test.each(['CREATE MATERIALIZED VIEW x TO y', 'CREATE TABLE x_mv', 'CREATE VIEW x_mv', 'DROP TABLE x_mv'])(
    'a name that hides a materialized view is refused: %s',
    (statement) => {
      expect(() => render(statement)).toThrow('Names of materialized views, and only those, must end with _mv')
    },
  )
})

test.each(['RENAME TABLE a TO b', 'DROP TABLE reports.x', 'CREATE OR REPLACE TABLE x', 'DROP DATABASE x'])(
  'a statement of another kind is refused: %s',
  (statement) => {
    expect(() => render(statement)).toThrow(`Unknown kind of statement: ${statement}`)
  },
)
