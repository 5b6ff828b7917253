import { confidenceRule } from '../confidence-rule.ts'
import type { IssueConfidence } from '../enumerations.ts'

export interface IssueSenders {
  /** One or more reports. */
  readonly reportCount: number
  readonly noiseCount: number
  readonly browserFamilyCount: number
}

const { manyReports, severalFamilies } = confidenceRule

/** Rule 45. */
export function confidence({ reportCount, noiseCount, browserFamilyCount }: IssueSenders): IssueConfidence {
  if (noiseCount === reportCount) return 'suppressed'
  const [several, many] = [browserFamilyCount >= severalFamilies, reportCount >= manyReports]
  if (several && many) return 'high'
  return several || many ? 'medium' : 'low'
}
