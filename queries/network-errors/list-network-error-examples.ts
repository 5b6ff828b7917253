import { z } from 'zod'
import { rawPartAt } from '../groups/group-parts.ts'
import { groupsOf, latestOf, partsOfGroups } from '../groups/groups-of.ts'
import type { Query } from '../query.ts'
import { rowBigSum } from '../rows.ts'
import { sql } from '../sql.ts'
import type { NetworkErrorGroup } from './list-network-errors.ts'
import { type NetworkErrorQuestion, networkErrorConditions, networkErrorKey } from './network-error-groups.ts'

const row = z.object({ key: rowBigSum, exampleUrl: z.string() })

/** The URL that failed last, of some groups. No query where there are none. */
export function listNetworkErrorExamples(
  question: NetworkErrorQuestion,
  groups: readonly Pick<NetworkErrorGroup, 'key' | 'lastSeen'>[],
): Query<z.infer<typeof row>>[] {
  if (groups.length === 0) return []
  const moments = groups.map(({ lastSeen }) => new Date(lastSeen))
  const reports = rawPartAt(question.tenantId, moments, networkErrorConditions(question))
  const measures = { exampleUrl: latestOf(sql`request_url`) }
  const statement = groupsOf(partsOfGroups([reports], networkErrorKey, groups), networkErrorKey, measures)
  return [{ name: 'listNetworkErrorExamples', statement, row }]
}
