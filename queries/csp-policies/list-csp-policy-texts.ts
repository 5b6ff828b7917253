import { z } from 'zod'
import { rawPartAt } from '../groups/group-parts.ts'
import { groupsOf, latestOf, partsOfGroups } from '../groups/groups-of.ts'
import type { Query } from '../query.ts'
import { rowBigSum } from '../rows.ts'
import { sql } from '../sql.ts'
import { type CspPolicyQuestion, cspPolicyConditions, cspPolicyKey } from './csp-policies.ts'
import type { QuotedCspPolicy } from './list-csp-policies.ts'

const row = z.object({ key: rowBigSum, policy: z.string() })

/** The texts of some policies, as the latest report of each quotes it. No query where there are none. */
export function listCspPolicyTexts(
  question: CspPolicyQuestion,
  policies: readonly Pick<QuotedCspPolicy, 'key' | 'lastSeen'>[],
): Query<z.infer<typeof row>>[] {
  if (policies.length === 0) return []
  const moments = policies.map(({ lastSeen }) => new Date(lastSeen))
  const reports = rawPartAt(question.tenantId, moments, cspPolicyConditions(question))
  const statement = groupsOf(partsOfGroups([reports], cspPolicyKey, policies), cspPolicyKey, {
    policy: latestOf(sql`policy`),
  })
  return [{ name: 'listCspPolicyTexts', statement, row }]
}
