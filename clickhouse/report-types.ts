/** @module The table `report_types`, which the rollups' views read at each insert. */

import { z } from 'zod'
import type { Database } from '../queries/clickhouse/database.ts'
import { insertRows } from '../queries/clickhouse/insert-rows.ts'
import type { Query } from '../queries/sql/query.ts'
import { sql } from '../queries/sql/sql.ts'
import { isField } from '../schema/dimensions.ts'
import { dimensionsOf, storedTypeNames, storedTypeRows } from '../schema/report-types.ts'

const reportTypeRow = z.object({
  report_type: z.string(),
  dimensions: z.array(z.string()),
  has_issues: z.boolean(),
  is_browser_change: z.boolean(),
})
type ReportTypeRow = z.infer<typeof reportTypeRow>

const listReportTypes: Query<ReportTypeRow> = {
  name: 'listReportTypes',
  statement: sql`SELECT report_type, dimensions, has_issues, is_browser_change FROM report_types FINAL`,
  row: reportTypeRow,
  pool: 'lookup',
}

const ownRows: readonly ReportTypeRow[] = storedTypeNames.map((type) => ({
  report_type: type,
  dimensions: dimensionsOf(type).filter(isField),
  has_issues: storedTypeRows[type].issue !== undefined,
  is_browser_change: storedTypeRows[type].browserChange === true,
}))

/** Report types in the code that a database lacks, or has with fewer dimensions or views; none for a newer database. */
export async function missingReportTypes(database: Pick<Database, 'read'>): Promise<string[]> {
  const stored = await readStored(database)
  const isMissing = (own: ReportTypeRow, row = stored.get(own.report_type)) =>
    !row ||
    own.dimensions.some((dimension) => !row.dimensions.includes(dimension)) ||
    (own.has_issues && !row.has_issues) ||
    (own.is_browser_change && !row.is_browser_change)
  return ownRows.filter((own) => isMissing(own)).map(({ report_type }) => report_type)
}

/** Writes new and changed report types; returns their names. */
export async function writeReportTypes(database: Database): Promise<string[]> {
  const stored = await readStored(database)
  const changed = ownRows.filter((own) => JSON.stringify(own) !== JSON.stringify(stored.get(own.report_type)))
  await insertRows(database, 'report_types', changed)
  return changed.map(({ report_type }) => report_type)
}

async function readStored(database: Pick<Database, 'read'>): Promise<ReadonlyMap<string, ReportTypeRow>> {
  return new Map((await database.read(listReportTypes)).map((row) => [row.report_type, row]))
}
