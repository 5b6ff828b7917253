/** @module Takes the sightings of a script out of a site's inventory. */

import { randomUUID } from 'node:crypto'
import { logImportSteps } from '../../clickhouse/log-import-steps.ts'
import { run } from '../../clickhouse/rollups/removal-tables.ts'
import { untilVersionsExpire } from '../../clickhouse/rollups/until-versions-expire.ts'
import { insertRows } from '../../queries/clickhouse/insert-rows.ts'
import { listWitnesses } from '../../queries/scripts/witnesses.ts'
import { at, sql, text, toClickHouseTime, uuid } from '../../queries/sql/sql.ts'
import { withLease } from '../program/lease.ts'
import { type Databases, deleteRows } from './owned-rows.ts'

interface ForgottenScript {
  readonly tenantId: string
  readonly siteId: string
  readonly url: string
  readonly by: string
  readonly reason: string
}

/**
 * Returns the number of versions when no response has them. A report as of an earlier time still has them. Throws if a
 * complete scan or a decision has the script, or no browser reported it. If it is interrupted, it can be repeated.
 */
export async function forgetScript({ writer, shards }: Databases, script: ForgottenScript): Promise<number> {
  const { tenantId, siteId, url, by, reason } = script
  const isScript = sql`tenant_id = ${uuid(tenantId)} AND site_id = ${uuid(siteId)} AND script_url = ${text(url)}`
  const onWait = (holder: string, kind: string): never => {
    throw new Error(`Stop the ${kind} by ${holder}, or wait for it, before you forget a script of tenant ${tenantId}`)
  }
  const lease = { database: writer, leaseId: tenantId, kind: 'report deletion', onWait } as const
  return withLease(lease, async () => {
    const witnesses = await writer.read(listWitnesses(script))
    const known = witnesses.find(({ kind }) => kind !== 'report')
    if (known) throw new Error(`The ${known.kind} ${known.id} has the script, which cannot be forgotten`)
    if (witnesses.length === 0) throw new Error('The site has no such script: see "scripts list"')
    const id = randomUUID()
    const logStep = (state: 'started' | 'done') => logImportSteps(writer)([tenantId], `deletion of script ${id}`, state)
    await logStep('started')
    const forgottenAt = new Date()
    const columns = sql`tenant_id, site_id, script_url, script_hash, first_seen_at, last_seen_at, latest_request`
    for (const shard of shards()) {
      await run(
        shard,
        sql`
          INSERT INTO script_versions_forgotten (${columns}, forgotten_at)
          SELECT ${columns}, ${at(forgottenAt)} FROM script_versions FINAL WHERE ${isScript}`,
      )
    }
    // Before the deletion, which is then logged even if it is interrupted.
    const time = toClickHouseTime(forgottenAt)
    const row = { id, tenant_id: tenantId, filters: ['siteId', 'scriptUrl'], counts: {}, part_ids: [] }
    const logged = { ...row, deleted_by: by, reason, sightings: witnesses.length, started_at: time, finished_at: time }
    await insertRows(writer, 'report_deletions', [logged])
    await deleteRows(shards(), () => isScript, ['script_versions'])
    await logStep('done')
    await untilVersionsExpire()
    return witnesses.length
  })
}
