import { type DayOfReports, latestRanges } from '../../schema/rules/time/latest-ranges.ts'
import type { TimeRange } from '../../schema/rules/time/time-range.ts'
import type { Page } from './page.ts'

/**
 * A page of the latest reports, read from as few days as hold enough. A day's count can include reports that have
 * expired, so the time before is read if there are too few.
 * @param list the first `limit` reports of the ranges.
 */
export async function readLatest<Row>(
  days: readonly DayOfReports[],
  { rows: wanted, after }: Pick<Page<unknown, { readonly receivedAt: number }>, 'rows' | 'after'>,
  list: (ranges: readonly TimeRange[], limit: number) => Promise<Row[]>,
): Promise<Row[]> {
  const { latest, earlier } = latestRanges(days, wanted, after?.receivedAt)
  const rows = latest.length > 0 ? await list(latest, wanted) : []
  if (rows.length === wanted || earlier.length === 0) return rows
  return [...rows, ...(await list(earlier, wanted - rows.length))]
}
