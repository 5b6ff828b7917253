export interface TrafficHour {
  readonly reports: number
  /** Mean of the same hour in the weeks before; 0 without a week. */
  readonly usual: number
}

/** Indexes of hours. */
export interface Silence {
  readonly start: number
  /** The first hour with which it counts as a silence. */
  readonly found: number
  /** The first hour with reports again; undefined while it lasts. */
  readonly end: number | undefined
}

/** Usual reports of hours without any. The probability that such hours have none by chance is below 0.001 %. */
const usualWithoutReports = 12

/** Usual reports of hours that have less than `quietShare` of them. */
const usualWithFew = 200
const quietShare = 0.02

/**
 * Rule 85: runs of hours that are quiet, because they have no reports or less than 2 % of the usual ones.
 * @param hours oldest first; the last has not ended. A run from the first hour is omitted, because its start is unknown.
 */
export function silencesOf(hours: readonly TrafficHour[]): Silence[] {
  const silences: Silence[] = []
  const isQuiet = ({ reports, usual }: TrafficHour) => reports === 0 || reports < quietShare * usual
  let run: { start: number; reports: number; usual: number; found?: number } | undefined
  for (const [index, hour] of hours.entries()) {
    if (!isQuiet(hour)) {
      if (run?.found !== undefined && run.start > 0) silences.push({ start: run.start, found: run.found, end: index })
      run = undefined
    } else if (index < hours.length - 1) {
      run ??= { start: index, reports: 0, usual: 0 }
      run.reports += hour.reports
      run.usual += hour.usual
      if (run.usual >= (run.reports === 0 ? usualWithoutReports : usualWithFew)) run.found ??= index
    }
  }
  if (run?.found !== undefined && run.start > 0) {
    silences.push({ start: run.start, found: run.found, end: undefined })
  }
  return silences
}
