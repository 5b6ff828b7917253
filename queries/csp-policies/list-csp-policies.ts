import { z } from 'zod'
import { dispositions } from '../../schema/enumerations.ts'
import { commonValue, groupTally, groupTallyRow, selectGroups } from '../groups/select-groups.ts'
import type { Query } from '../sql/query.ts'
import { sql, uint } from '../sql/sql.ts'
import { type CspPolicyFilter, cspDisposition, cspPolicySlices } from './csp-policy-groups.ts'

export const quotedPolicyRow = groupTallyRow.omit({ weight: true }).extend({ disposition: z.enum(dispositions) })

export type QuotedCspPolicy = z.infer<typeof quotedPolicyRow>

const { weight: _, ...tally } = groupTally
export const policyMeasures = { disposition: commonValue(() => cspDisposition), ...tally }

/** Last quoted first, before any are merged. */
export function listCspPolicies(filter: CspPolicyFilter, limit: number): Query<QuotedCspPolicy> {
  const policies = selectGroups(cspPolicySlices(filter), policyMeasures)
  return {
    name: 'listCspPolicies',
    statement: sql`${policies} ORDER BY lastSeen DESC, group_key LIMIT ${uint(limit)}`,
    row: quotedPolicyRow,
  }
}
