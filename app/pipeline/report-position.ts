import { z } from 'zod'
import type { ReportPosition } from '../../queries/reports/list-reports.ts'
import type { Report } from '../../schema/replies/report.ts'

/** A report's sort key as a cursor carries it: when it was received, then its id. */
export const reportPosition: z.ZodType<ReportPosition> = z.object({
  receivedAt: z
    .int()
    .min(0)
    .max(Date.UTC(2200, 0, 1)),
  id: z.guid(),
})

export const positionOfReport = ({ receivedAt, id }: Report): ReportPosition => ({
  receivedAt: Date.parse(receivedAt),
  id,
})
