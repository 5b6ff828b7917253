/** @module Data that determines an issue's confidence (Rule 45), beside `confidence` in schema/rules. */

import { confidenceRule } from '../../schema/confidence-rule.ts'
import type { IssueConfidence } from '../../schema/enumerations.ts'
import { browserFamilies, type GroupMeasures, groupTally } from '../groups/select-groups.ts'
import { type Sql, sql, texts, uint } from '../sql/sql.ts'

export const issueSenders = {
  reportCount: groupTally.reportCount,
  noiseCount: {
    ofSlice: ({ isRaw }) => (isRaw ? sql`countIf(noise)` : sql`sum(noise_count)`),
    merged: (values) => sql`sum(${values})`,
  },
  browserFamilyCount: { ...browserFamilies, merged: (values) => sql`length(${browserFamilies.merged(values)})` },
} as const satisfies GroupMeasures

const isMany = sql`reportCount >= ${uint(confidenceRule.manyReports)}`
const isSeveral = sql`browserFamilyCount >= ${uint(confidenceRule.severalFamilies)}`

/** Condition on a SELECT of the measures above. */
export const hasConfidence = (confidences: readonly IssueConfidence[]): Sql => sql`
  multiIf(
    noiseCount = reportCount, 'suppressed',
    ${isMany} AND ${isSeveral}, 'high',
    ${isMany} OR ${isSeveral}, 'medium',
    'low'
  ) IN ${texts(confidences)}`
