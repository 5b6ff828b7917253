import { text as readText } from 'node:stream/consumers'
import type { Database } from '../queries/clickhouse.ts'
import type { Query } from '../queries/query.ts'
import { render } from '../queries/sql.ts'

/** Settings of statements that go over a tenant's whole month: memory stays flat, and time is not bounded. */
export const longSettings = {
  max_execution_time: 0,
  max_bytes_before_external_group_by: '1000000000',
  max_bytes_before_external_sort: '1000000000',
} as const

/** Every row of a query's answer, without the deadline of the API's reads. Throws what the store says. */
export async function readLong<Row>(database: Database, query: Query<Row>): Promise<Row[]> {
  const { text, params } = render(query.statement)
  const answer = await database.stream(text, 'JSONCompact', {
    params,
    settings: { ...longSettings, date_time_output_format: 'iso', output_format_json_quote_64bit_integers: 1 },
  })
  // A single document does not parse when it was cut short.
  const { meta, data } = JSON.parse(await readText(answer)) as { meta: { name: string }[]; data: unknown[][] }
  return data.map((values) =>
    query.row.parse(Object.fromEntries(meta.map((column, index) => [column.name, values[index]]))),
  )
}
