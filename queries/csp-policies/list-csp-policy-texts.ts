import { z } from 'zod'
import { type Keyed, latestValue, queryLatest } from '../groups/select-groups.ts'
import { rowBigSum } from '../sql/rows.ts'
import { sql } from '../sql/sql.ts'
import { type CspPolicyFilter, cspPolicyGroups } from './csp-policy-groups.ts'

const row = z.object({ key: rowBigSum, policy: z.string() })

const measures = { policy: latestValue(sql`policy`) }

export const listCspPolicyTexts = (
  filter: CspPolicyFilter,
  policies: readonly (Keyed & { readonly lastSeen: string })[],
) => queryLatest({ name: 'listCspPolicyTexts', measures, row }, cspPolicyGroups(filter), policies)
