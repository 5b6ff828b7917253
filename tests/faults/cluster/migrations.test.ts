import { randomUUID } from 'node:crypto'
import { copyFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { shardDatabase } from '../../../clickhouse/cluster/on-cluster.ts'
import { assignShard } from '../../../clickhouse/cluster/tenant-shards.ts'
import { migrate } from '../../../clickhouse/migrate.ts'
import { checkRollups } from '../../../clickhouse/rollups/check-rollups.ts'
import { startCluster, type TestCluster, unreplicated } from '../../support/cluster.ts'
import { queryRows } from '../../support/database.ts'

const folder = mkdtempSync(join(tmpdir(), 'cluster-migrations-'))
const own = new URL('../../../clickhouse/migrations/', import.meta.url)
let cluster: TestCluster

beforeAll(async () => {
  for (const file of readdirSync(own).filter((name) => name < '0004'))
    copyFileSync(new URL(file, own), join(folder, file))
  copyFileSync(new URL('0014_import_log.sql', own), join(folder, '0004_import_log.sql'))
  cluster = await startCluster({ isMigrated: false })
})
afterAll(async () => {
  await cluster?.end()
  rmSync(folder, { recursive: true })
})

const run = () =>
  migrate(cluster.cluster.client, {
    folder: pathToFileURL(`${folder}/`),
    cluster: { cluster: cluster.cluster, replication: unreplicated },
  })

const made = `
CREATE TABLE IF NOT EXISTS reports_per_day_by_phase
(
    tenant_id       UUID,
    report_type     LowCardinality(String),
    bucket          DateTime('UTC'),
    phase           LowCardinality(String),
    report_count    SimpleAggregateFunction(sum, UInt64),
    retention_days  SimpleAggregateFunction(max, UInt16)
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(bucket)
ORDER BY (tenant_id, report_type, bucket, phase);

CREATE MATERIALIZED VIEW IF NOT EXISTS reports_per_day_by_phase_mv
TO reports_per_day_by_phase AS
SELECT
    tenant_id, report_type, toStartOfDay(toDateTime(received_at, 'UTC')) AS bucket,
    phase, count() AS report_count, max(retention_days) AS retention_days
FROM reports
WHERE report_type IN (SELECT report_type FROM report_types FINAL WHERE report_type = 'crash')
GROUP BY tenant_id, report_type, bucket, phase;

CREATE TABLE IF NOT EXISTS notes
(
    tenant_id  UUID
)
ENGINE = MergeTree
ORDER BY tenant_id;

CREATE TABLE IF NOT EXISTS retired_tokens
(
    token_hash  String
)
ENGINE = MergeTree
ORDER BY token_hash;

CREATE DICTIONARY IF NOT EXISTS colours
(
    name  String
)
PRIMARY KEY name
SOURCE(NULL())
LAYOUT(COMPLEX_KEY_DIRECT());

CREATE VIEW IF NOT EXISTS phases_named AS SELECT phase FROM reports_per_day_by_phase;

CREATE VIEW IF NOT EXISTS notes_named AS SELECT * FROM notes;
`

const changes = `
ALTER TABLE reports_per_day_by_phase
    ADD COLUMN IF NOT EXISTS weight SimpleAggregateFunction(sum, UInt64);

ALTER TABLE reports_per_day_by_phase_mv
    MODIFY QUERY
SELECT
    tenant_id, report_type, toStartOfDay(toDateTime(received_at, 'UTC')) AS bucket,
    phase, count() AS report_count, max(retention_days) AS retention_days, sum(weight) AS weight
FROM reports
WHERE report_type IN (SELECT report_type FROM report_types FINAL WHERE report_type IN ('crash', 'network-error'))
GROUP BY tenant_id, report_type, bucket, phase;

DROP VIEW IF EXISTS reports_by_time_minute_mv SYNC;

CREATE MATERIALIZED VIEW IF NOT EXISTS reports_by_time_minute_mv
TO reports_by_time AS
SELECT
    tenant_id, 'minute' AS grain,
    toDateTime64(toStartOfMinute(toDateTime(received_at, 'UTC')), 3, 'UTC') AS bucket,
    report_type, 2 * count() AS report_count, sum(weight) AS weight, max(retention_days) AS retention_days
FROM reports
GROUP BY tenant_id, bucket, report_type;

CREATE OR REPLACE VIEW phases_named AS SELECT phase, weight FROM reports_per_day_by_phase;

DROP VIEW IF EXISTS notes_named SYNC;

DROP TABLE IF EXISTS notes SYNC;

DROP TABLE IF EXISTS retired_tokens SYNC;

DROP DICTIONARY IF EXISTS colours SYNC;
`

const tenants = [randomUUID(), randomUUID()] as const

const insert = (phase: string) =>
  Promise.all(
    tenants.map((tenantId) =>
      cluster.cluster.client.command(`
        INSERT INTO reports (tenant_id, site_id, report_type, received_at, id, weight, sample_rate, retention_days, phase)
        SELECT '${tenantId}', generateUUIDv4(), 'network-error', now64(3), generateUUIDv7(), 1000000, 1, 90, '${phase}'
        FROM numbers(10)`),
    ),
  )

/** Objects of the names, as each node has them. */
const objects = (...names: readonly string[]) =>
  Promise.all(
    cluster.cluster.nodes.map(({ use }) =>
      queryRows(
        use(''),
        `SELECT concat(database, '.', name, ' ', engine) FROM system.tables
         WHERE database IN ('default', '${shardDatabase('default')}') AND name IN ('${names.join("','")}')
         ORDER BY database, name`,
      ).then((rows) => rows.flat()),
    ),
  )

test('a migration changes and drops what an earlier one made, on every node, and fills the rollups of changed views', async () => {
  const { client } = cluster.cluster
  writeFileSync(join(folder, '0005_made.sql'), made)
  await run()
  const dropped = ['notes', 'notes_named', 'retired_tokens', 'colours']
  const all = [
    'default.colours Dictionary',
    'default.notes Distributed',
    'default.notes_named View',
    'default.retired_tokens MergeTree',
    'default_shard.notes MergeTree',
  ]
  expect(await objects(...dropped)).toEqual([all, all])
  await Promise.all(tenants.map((tenantId, index) => assignShard(cluster.cluster, tenantId, index + 1)))
  await insert('dns')

  writeFileSync(join(folder, '0006_changes.sql'), changes)
  const counts = () =>
    queryRows(
      client,
      'SELECT tenant_id, phase, sum(report_count), sum(weight) FROM reports_per_day_by_phase GROUP BY ALL',
    )
  expect(await run()).toEqual(['0006_changes'])
  expect(await objects(...dropped)).toEqual([[], []])
  const views = ['reports_by_time_minute_mv', 'reports_per_day_by_phase_mv']
  const onShards = views.map((view) => `default_shard.${view} MaterializedView`)
  expect(await objects(...views)).toEqual([onShards, onShards])
  expect(new Set(await counts())).toEqual(new Set(tenants.map((id) => [id, 'dns', 10, 10_000_000])))

  await insert('connection')
  const expected = tenants.flatMap((id) => ['dns', 'connection'].map((phase) => [id, phase, 10, 10_000_000]))
  expect(new Set(await counts())).toEqual(new Set(expected))
  expect(await queryRows(client, 'SELECT sum(weight) FROM phases_named')).toEqual([[40_000_000]])
  const minutes = "SELECT sum(report_count) FROM reports_by_time WHERE grain = 'minute'"
  expect(await queryRows(client, minutes)).toEqual([[80]])
  for (const { database } of cluster.cluster.shards)
    expect(await checkRollups(database)).toMatchObject({ different: 0 })
})
