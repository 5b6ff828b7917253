import type { Command } from '@commander-js/extra-typings'
import { z } from 'zod'
import { requireShard, shardOfTenant } from '../../../clickhouse/cluster/tenant-shards.ts'
import type { Database } from '../../../queries/clickhouse/database.ts'
import { withLiterals } from '../../../queries/sql/literal-sql.ts'
import type { Query } from '../../../queries/sql/query.ts'
import { sql } from '../../../queries/sql/sql.ts'
import type { RecordedQuery } from '../../api/explain-request.ts'
import { argument } from '../command/arguments.ts'
import type { Context } from '../command/context.ts'
import { requireTenant } from '../command/require-tenant.ts'
import { tenant } from '../command/shared-arguments.ts'
import { subcommand } from '../command/subcommand.ts'

const target = argument('<PATH>', {
  about: 'The request',
  takes: 'a quoted API path with its query, such as "/v1/reports/count?directive=img-src"',
  schema: z.string().regex(/^\/v1\/\S+$/),
})

export function addExplain(program: Command, context: Context): void {
  subcommand(program, 'explain', {
    about: 'Run an API request as a tenant and print its SQL statements with their values',
    notes: [
      'Before each statement: the name of its query, the tables it reads, and its rows, bytes and time in ClickHouse; with --analyze',
      'also the parts and granules that each index selects. Run a statement unchanged with "sql" or curl to get the rows that the API read.',
    ],
    examples: [
      'explain --tenant ID "/v1/reports/grouped?groupBy=directive,blockedHost"',
      'explain --tenant ID --analyze "/v1/issues?last=24h&limit=10"',
    ],
  })
    .addArgument(target)
    .addOption(tenant)
    .option('--analyze', 'Also print the parts and granules that each index selects')
    .action(async (path, { tenant: tenantId, analyze }) => {
      const { reader: anyReader, cluster } = await context.database()
      const tenant = await requireTenant(anyReader, tenantId)
      // Run on its tenant's shard, a statement shows the indexes that it uses.
      const shard = cluster && requireShard(cluster, await shardOfTenant(cluster, tenantId))
      const reader = shard?.front ?? anyReader
      const { explainRequest } = await import('../../api/explain-request.ts')
      const { status, body, queries } = await explainRequest(reader, tenant, path)
      const comments = await (shard?.database ?? reader).read(listTableComments)
      if (shard) context.stdout.write(`-- shard ${shard.number}\n\n`)
      for (const recorded of queries) {
        const lines = [
          ...describe(recorded, comments),
          ...(analyze ? await indexes(reader, recorded) : []),
          `${withLiterals(recorded.query.statement)};`,
          '',
        ]
        context.stdout.write(`${lines.join('\n')}\n`)
      }
      context.log(`${path}: ${status}, ${queries.length} statements, ${body.length} characters`)
      if (status >= 400) throw new Error(`The request was rejected: ${body}`)
    })
}

const tableRow = z.object({ name: z.string(), comment: z.string() })

const listTableComments: Query<z.infer<typeof tableRow>> = {
  name: 'listTableComments',
  statement: sql`
    SELECT name, comment
    FROM system.tables
    WHERE database = currentDatabase()
    ORDER BY name`,
  row: tableRow,
  pool: 'lookup',
}

/** Description of a statement as SQL comments. @param comments of every table. */
function describe({ query, rows, cost }: RecordedQuery, comments: readonly z.infer<typeof tableRow>[]): string[] {
  const { name, pool = 'query', statement } = query
  const tables = [...statement.strings.join('?').matchAll(/\b(?:FROM|JOIN)\s+([a-z]\w+)/g)].map(([, table]) => table)
  const spent = cost && `${cost.rowsRead} rows and ${cost.bytesRead} bytes read in ${cost.elapsedMs.toFixed(1)} ms`
  return [
    `-- ${name}, pool ${pool}: ${rows.length} rows${spent ? `; ${spent}` : ''}`,
    ...comments.filter((table) => tables.includes(table.name)).map((table) => `-- ${table.name}: ${table.comment}`),
  ]
}

/** Lines of EXPLAIN about the selection by a table's indexes. */
const telling = /ReadFromMergeTree|^\s*(PrimaryKey|MinMax|Partition|Skip|Name:|Condition:|Parts:|Granules:)/

async function indexes(reader: Database, { query: { statement } }: RecordedQuery): Promise<string[]> {
  const [first = '', ...rest] = statement.strings
  const plan = await reader.read({
    name: 'explainIndexes',
    statement: { strings: [`EXPLAIN indexes = 1 ${first}`, ...rest], values: statement.values },
    row: z.object({ explain: z.string() }),
  })
  return plan
    .map(({ explain }) => explain)
    .filter((line) => telling.test(line))
    .map((line) => `-- ${line.trim()}`)
}
