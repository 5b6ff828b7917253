/** @module Parts that ClickHouse creates from an insert block, one per month: it loses them whole or not at all. */

import type { StoredReport } from '../../../schema/stored-report.ts'

/** The latest report of a part, which expires last. */
export interface BlockPart extends Pick<StoredReport, 'reportType' | 'siteId' | 'receivedAt' | 'id'> {
  /** Number in the whole part. */
  readonly reports: number
}

interface Month {
  readonly from: number
  readonly to: number
  latest: StoredReport
  reports: number
}

export function collectParts() {
  let months: Month[] = []
  let current: Month | undefined

  const isWithin = (time: number, { from, to }: Month) => time >= from && time < to

  return {
    add(report: StoredReport): void {
      const { receivedAt } = report
      if (!current || !isWithin(receivedAt, current)) {
        current = months.find((month) => isWithin(receivedAt, month)) ?? begin(report)
        if (!months.includes(current)) months.push(current)
      }
      current.reports++
      if (receivedAt > current.latest.receivedAt) current.latest = report
    },
    /** Returns those of the reports since the last call. */
    rest(): BlockPart[] {
      const parts = months.map(({ latest: { reportType, siteId, receivedAt, id }, reports }) => ({
        reportType,
        siteId,
        receivedAt,
        id,
        reports,
      }))
      months = []
      current = undefined
      return parts
    },
  }
}

function begin(latest: StoredReport): Month {
  const date = new Date(latest.receivedAt)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  return { from: Date.UTC(year, month), to: Date.UTC(year, month + 1), latest, reports: 0 }
}
