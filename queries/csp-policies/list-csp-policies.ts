import { z } from 'zod'
import { dispositions } from '../../schema/enumerations.ts'
import { commonValue, groupsOf, groupTally, groupTallyRow } from '../groups/select-groups.ts'
import type { Query } from '../sql/query.ts'
import { sql, uint } from '../sql/sql.ts'
import { type CspPolicyFilter, cspDisposition, cspPolicyGroups } from './csp-policy-groups.ts'

const row = groupTallyRow.omit({ weight: true }).extend({ disposition: z.enum(dispositions) })

/** A policy as reports quote it, its text apart. */
export type QuotedCspPolicy = z.infer<typeof row>

const { weight: _, ...tally } = groupTally
const measures = { disposition: commonValue(() => cspDisposition), ...tally }

/** The policies last quoted, the latest first, before any are merged. */
export function listCspPolicies(filter: CspPolicyFilter, limit: number): Query<QuotedCspPolicy> {
  const policies = groupsOf(cspPolicyGroups.slices(filter), measures)
  return {
    name: 'listCspPolicies',
    statement: sql`${policies} ORDER BY lastSeen DESC, group_key LIMIT ${uint(limit)}`,
    row,
  }
}
