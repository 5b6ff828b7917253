import type { IssueConfidence } from '../../schema/enumerations.ts'

/** What an issue's confidence follows from. */
export interface IssueSenders {
  /** Stored reports in the window, at least one. */
  readonly reportCount: number
  /** Those of them that are noise. */
  readonly noiseCount: number
  readonly browserFamilyCount: number
}

const manyReports = 10
const severalFamilies = 2

/**
 * Suppressed where every report is noise; otherwise high with several browser families and many reports, medium with
 * either, low with neither (decisions, Issues).
 */
export function confidence({ reportCount, noiseCount, browserFamilyCount }: IssueSenders): IssueConfidence {
  if (noiseCount === reportCount) return 'suppressed'
  const [several, many] = [browserFamilyCount >= severalFamilies, reportCount >= manyReports]
  if (several && many) return 'high'
  return several || many ? 'medium' : 'low'
}
