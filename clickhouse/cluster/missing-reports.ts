import { z } from 'zod'
import type { Database } from '../../queries/clickhouse/database.ts'
import type { Query } from '../../queries/sql/query.ts'
import { chunksOf, rowCount } from '../../queries/sql/rows.ts'
import { at, name, type Sql, sql, uuid } from '../../queries/sql/sql.ts'
import { dayMs, minuteMs } from '../../schema/durations.ts'

/** Ids per statement, 40 bytes each in its URL. */
const idsAtOnce = 5_000

/**
 * Ids of a tenant's reports that one database has and the other lacks. It compares days, then the minutes of days that
 * differ.
 */
export async function* listMissingReports(from: Database, to: Database, tenantId: string): AsyncGenerator<string[]> {
  for (const day of await differing(from, to, summariseBuckets(tenantId, 'toStartOfDay', sql`true`))) {
    const ofDay = within(day, dayMs)
    for (const minute of await differing(from, to, summariseBuckets(tenantId, 'toStartOfMinute', ofDay))) {
      const ids = listIds(tenantId, within(minute, minuteMs))
      const known = new Set((await to.read(ids)).map(({ id }) => id))
      const missing = (await from.read(ids)).map(({ id }) => id).filter((id) => !known.has(id))
      yield* chunksOf(missing, idsAtOnce)
    }
  }
}

const within = (start: number, length: number): Sql =>
  sql`received_at >= ${at(new Date(start))} AND received_at < ${at(new Date(start + length))}`

/** Starts of the buckets with different reports, in milliseconds. */
async function differing(from: Database, to: Database, query: Query<BucketRow>): Promise<number[]> {
  const known = new Map((await to.read(query)).map((row) => [row.second, row]))
  const isKnown = ({ second, reports, content }: BucketRow, row = known.get(second)) =>
    row !== undefined && row.reports === reports && row.content === content
  return (await from.read(query)).filter((row) => !isKnown(row)).map(({ second }) => second * 1000)
}

const bucketRow = z.object({ second: rowCount, reports: rowCount, content: z.string() })
type BucketRow = z.infer<typeof bucketRow>

const summariseBuckets = (tenantId: string, bucket: string, where: Sql): Query<BucketRow> => ({
  name: 'summariseBuckets',
  statement: sql`
    SELECT toUnixTimestamp(${name(bucket)}(received_at)) AS second, count() AS reports,
      toString(groupBitXor(sipHash64(id))) AS content
    FROM reports
    WHERE tenant_id = ${uuid(tenantId)} AND ${where}
    GROUP BY second
    ORDER BY second`,
  row: bucketRow,
  pool: 'maintenance',
})

const listIds = (tenantId: string, where: Sql): Query<{ id: string }> => ({
  name: 'listIds',
  statement: sql`SELECT toString(id) AS id FROM reports WHERE tenant_id = ${uuid(tenantId)} AND ${where}`,
  row: z.object({ id: z.string() }),
  pool: 'maintenance',
})
