import { z } from 'zod'
import { latestReports } from '../groups/group-details.ts'
import { latestValue } from '../groups/select-groups.ts'
import { rowBigSum } from '../sql/rows.ts'
import { sql } from '../sql/sql.ts'
import { cspPolicyGroups } from './csp-policy-groups.ts'

const row = z.object({ key: rowBigSum, policy: z.string() })

/** The texts of some policies, as the latest report of each quotes it. */
export const listCspPolicyTexts = latestReports({
  name: 'listCspPolicyTexts',
  kind: cspPolicyGroups,
  receivedAt: 'lastSeen',
  measures: { policy: latestValue(sql`policy`) },
  row,
})
