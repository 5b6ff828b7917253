import { reportColumns, type StoredReport } from '../../schema/stored-report.ts'
import { columnValues, sharedValues } from './generated-columns.ts'

/** Reports received over a span of time, in the order of their receipt, more of them by day than by night. */
export interface Generated {
  readonly rows: number
  /** The first moment, in milliseconds since the Unix epoch. */
  readonly from: number
  readonly days: number
}

const day = 86_400_000

const fields = (Object.keys(reportColumns) as (keyof StoredReport)[]).filter((field) => columnValues[field])

/** The generated columns of the table, in its order. */
export const generatedColumns = fields.map((field) => reportColumns[field])

/** `WITH … SELECT …` of `count` reports from the row `first` on, in the order of their receipt. */
export function generatedReports({ rows, from, days }: Generated, first: number, count: number): string {
  const place = `number * ${(days * day) / rows}`
  const moment = `toInt64(${from} + ${place} - ${Math.round((0.6 * day) / (2 * Math.PI))} * sin(${place} * ${(2 * Math.PI) / day}))`
  const values = Object.entries({ ...sharedValues, moment }).map(([name, value]) => `${value} AS ${name}`)
  const selected = fields.map((field) => `${columnValues[field]} AS ${reportColumns[field]}`)
  return `WITH ${values.join(', ')} SELECT ${selected.join(', ')} FROM numbers(${first}, ${count})`
}
