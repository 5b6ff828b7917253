/** @module The loop of first sightings: those of issues without a report for twice the retention are deleted once per day. */

import type { Database } from '../../queries/clickhouse/database.ts'
import { chunksOf } from '../../queries/sql/rows.ts'
import { at, sql, uuids } from '../../queries/sql/sql.ts'
import { listTenants } from '../../queries/tenants/tenants.ts'
import { dayMs } from '../../schema/durations.ts'
import { entitlements, retentionStart } from '../../schema/plans.ts'
import { groupBy } from '../../schema/rules/group-by.ts'
import { leaseIds } from '../program/lease.ts'
import { deleteRows } from '../tenants/owned-rows.ts'
import { type Passes, underLease } from './under-lease.ts'

interface SightingLoop extends Omit<Passes, 'leaseId' | 'name'> {
  readonly shards: () => readonly Database[]
}

/** Ids per statement, 40 bytes each in its URL. */
const idsAtOnce = 1_000

/** An issue that is reported again afterwards is new. */
export async function forgetIssues(
  { database, shards }: Pick<SightingLoop, 'database' | 'shards'>,
  now: Date,
): Promise<void> {
  const tenants = await database.read(listTenants)
  const retentions = groupBy(tenants, ({ plan, overrides }) => entitlements(plan, overrides).retentionDays)
  for (const [days, ofRetention] of retentions) {
    for (const some of chunksOf(
      ofRetention.map(({ id }) => id),
      idsAtOnce,
    )) {
      const ofTenants = sql`tenant_id IN ${uuids(some)}`
      // An issue has a row per part until they are merged.
      const isUnseen = sql`${ofTenants} AND (tenant_id, report_type, site_id, issue_key) IN (
        SELECT tenant_id, report_type, site_id, issue_key
        FROM issue_first_seen
        WHERE ${ofTenants}
        GROUP BY tenant_id, report_type, site_id, issue_key
        HAVING max(last_seen_at) < ${at(retentionStart(2 * days, now))})`
      await deleteRows(shards(), () => isUnseen, ['issue_first_seen'])
    }
  }
}

export function runForgetIssues(loop: SightingLoop): Promise<void> {
  let last = 0
  return underLease({ ...loop, leaseId: leaseIds.sightings, name: 'First sightings' }, async () => {
    const today = Math.floor(Date.now() / dayMs)
    if (today > last) await forgetIssues(loop, new Date())
    last = today
  })
}
