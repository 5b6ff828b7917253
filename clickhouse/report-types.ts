import { z } from 'zod'
import type { Database } from '../queries/clickhouse/client.ts'
import { insertRows } from '../queries/clickhouse/insert-rows.ts'
import type { Query } from '../queries/sql/query.ts'
import { sql } from '../queries/sql/sql.ts'
import { dimensionsOf } from '../schema/report-filter.ts'
import { storedTypeNames, storedTypeRows } from '../schema/report-types.ts'

const storedRow = z.object({
  report_type: z.string(),
  dimensions: z.array(z.string()),
  has_issues: z.boolean(),
  is_browser_change: z.boolean(),
})
type ReportTypeRow = z.infer<typeof storedRow>

const listReportTypes: Query<ReportTypeRow> = {
  name: 'listReportTypes',
  statement: sql`SELECT report_type, dimensions, has_issues, is_browser_change FROM report_types FINAL`,
  row: storedRow,
  pool: 'lookup',
}

/** Rows of `report_types` as the code has them. */
const ownRows: readonly ReportTypeRow[] = storedTypeNames.map((type) => ({
  report_type: type,
  dimensions: dimensionsOf(type),
  has_issues: storedTypeRows[type].issue !== undefined,
  is_browser_change: storedTypeRows[type].browserChange === true,
}))

/**
 * The code's report types that a database lacks or holds with fewer dimensions. A database of a newer release lacks none,
 * so that the old release serves on while the new one is rolled out.
 */
export async function missingReportTypes(database: Database): Promise<string[]> {
  const stored = await readStored(database)
  const lacks = (own: ReportTypeRow, row: ReportTypeRow | undefined) =>
    !row ||
    own.dimensions.some((dimension) => !row.dimensions.includes(dimension)) ||
    (own.has_issues && !row.has_issues) ||
    (own.is_browser_change && !row.is_browser_change)
  return ownRows.filter((own) => lacks(own, stored.get(own.report_type))).map(({ report_type }) => report_type)
}

/** Writes the report types that changed to `report_types`, which the views read at each insert; returns their names. */
export async function writeReportTypes(database: Database): Promise<string[]> {
  const stored = await readStored(database)
  const changed = ownRows.filter((own) => JSON.stringify(own) !== JSON.stringify(stored.get(own.report_type)))
  await insertRows(database, 'report_types', changed)
  return changed.map(({ report_type }) => report_type)
}

async function readStored(database: Database): Promise<ReadonlyMap<string, ReportTypeRow>> {
  return new Map((await database.read(listReportTypes)).map((row) => [row.report_type, row]))
}
