import { z } from 'zod'
import { dispositions } from '../../schema/enumerations.ts'
import { groupsOf, groupTally, sameOf } from '../groups/groups-of.ts'
import type { Query } from '../query.ts'
import { rowBigSum, rowCount, rowTime } from '../rows.ts'
import { sql, uint } from '../sql.ts'
import { type CspPolicyQuestion, cspDisposition, cspPolicyKey, cspPolicyParts } from './csp-policies.ts'

const row = z.object({
  key: rowBigSum,
  disposition: z.enum(dispositions),
  reportCount: rowCount,
  firstSeen: rowTime,
  lastSeen: rowTime,
})

/** A policy as reports quote it, its text apart. */
export type QuotedCspPolicy = z.infer<typeof row>

const { reportCount, firstSeen, lastSeen } = groupTally
const measures = { disposition: sameOf(() => cspDisposition), reportCount, firstSeen, lastSeen }

/** The policies last quoted, the latest first, before any are merged. */
export function listCspPolicies(question: CspPolicyQuestion, limit: number): Query<QuotedCspPolicy> {
  const policies = groupsOf(cspPolicyParts(question), cspPolicyKey, measures)
  return {
    name: 'listCspPolicies',
    statement: sql`${policies} ORDER BY lastSeen DESC, group_key LIMIT ${uint(limit)}`,
    row,
  }
}
