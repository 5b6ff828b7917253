import { z } from 'zod'
import type { ReportPosition } from '../../queries/reports/list-reports.ts'
import type { Report } from '../../schema/replies/report.ts'
import { cursorTime } from './cursor.ts'

/** A report's sort key as a cursor carries it: when it was received, then its id. */
export const reportPosition: z.ZodType<ReportPosition> = z.object({
  receivedAt: cursorTime,
  id: z.guid(),
})

export const positionOfReport = ({ receivedAt, id }: Report): ReportPosition => ({
  receivedAt: Date.parse(receivedAt),
  id,
})
