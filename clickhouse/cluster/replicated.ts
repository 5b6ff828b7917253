import type { Replication } from './on-cluster.ts'

const engine = /^ENGINE = (\w*MergeTree)(?:\((.*)\))?$/m

/** Path shared by all nodes of all shards. */
const everywherePath = ["'/clickhouse/tables/{uuid}/{cluster}'", "'{shard}_{replica}'"]

/** A year: by default a batch that is sent again after an hour would be stored twice. */
const window = 'replicated_deduplication_window = $1, replicated_deduplication_window_seconds = 31536000'

function replicate(statement: string, path: readonly string[] = []): string {
  return statement
    .replace(engine, (_, name: string, argument: string | undefined) => {
      const values = [...path, ...(argument ? [argument] : [])]
      return `ENGINE = Replicated${name}${values.length > 0 ? `(${values.join(', ')})` : ''}`
    })
    .replace(/\bnon_replicated_deduplication_window = (\d+)/, window)
}

/** With Keeper: databases of the engine Replicated accept each statement on one node and forward it to every other. */
export const replicated: Replication = {
  createDatabases: (front, shards) => [
    `CREATE DATABASE IF NOT EXISTS ${shards} ENGINE = Replicated('/clickhouse/databases/${shards}', '{shard}', '{replica}')
SETTINGS internal_replication = 1`,
    `CREATE DATABASE IF NOT EXISTS ${front} ENGINE = Replicated('/clickhouse/databases/${front}', 'all', '{shard}_{replica}')`,
  ],
  everywhere: (statement, front) => [{ database: front, statement: replicate(statement, everywherePath) }],
  sharded: (statement) => replicate(statement),
  runsOn: 'one node',
  // A statement returns when every node has run it, and names a node that has not.
  settings: { distributed_ddl_output_mode: 'throw', database_replicated_allow_replicated_engine_arguments: '1' },
}
