import { z } from 'zod'
import type { ImportStep } from '../../schema/rules/import-version.ts'
import type { Query } from '../sql/query.ts'
import { rowCount } from '../sql/rows.ts'
import { at, type Sql, sql, text, uint, uuid } from '../sql/sql.ts'

const batchRow = z.object({ token: z.string(), lines: rowCount })

/** Batches that follow a token; of every file of the tenant with the same first line for a file's first batch. */
export function listImportBatches(tenantId: string, previousToken: string): Query<z.infer<typeof batchRow>> {
  return {
    name: 'listImportBatches',
    statement: sql`
      SELECT DISTINCT token, lines
      FROM import_log
      WHERE tenant_id = ${uuid(tenantId)} AND previous_token = ${text(previousToken)}`,
    row: batchRow,
  }
}

const time = z.string().transform((text) => Date.parse(text))

const recordedRow = z.object({
  hosts: z.array(z.string()),
  importedAt: time,
  storedFrom: time,
  retentionDays: rowCount,
  state: z.enum(['started', 'restoring', 'done']),
  boot: z.string(),
  recordedAt: time,
})

/** Ranges of a batch as recorded by the runs that began them, with their latest state; the latest range first. */
export function findImportBatch(
  tenantId: string,
  previousToken: string,
  token: string,
): Query<z.output<typeof recordedRow>> {
  return {
    name: 'findImportBatch',
    statement: sql`
      SELECT argMin(b.hosts, b.recorded_at) AS hosts, argMin(b.imported_at, b.recorded_at) AS importedAt,
        b.stored_from AS storedFrom, argMin(b.retention_days, b.recorded_at) AS retentionDays,
        argMax(b.state, (b.recorded_at, b.state = 'done')) AS state,
        argMax(b.boot, (b.recorded_at, b.state = 'done')) AS boot,
        max(b.recorded_at) AS recordedAt
      FROM import_log AS b
      WHERE tenant_id = ${uuid(tenantId)} AND previous_token = ${text(previousToken)} AND token = ${text(token)}
      GROUP BY storedFrom
      ORDER BY storedFrom DESC`,
    row: recordedRow,
  }
}

const bootRow = z.object({ boot: z.string(), lastAt: time })

/** Starts of ClickHouse's machine that the tenant's import log knows, and its last row of each. */
export function listImportBoots(tenantId: string): Query<z.output<typeof bootRow>> {
  return {
    name: 'listImportBoots',
    statement: sql`
      SELECT b.boot AS boot, max(b.recorded_at) AS lastAt
      FROM import_log AS b
      WHERE tenant_id = ${uuid(tenantId)}
      GROUP BY boot`,
    row: bootRow,
  }
}

const importStepRow = z.object({ token: z.string(), state: z.string(), recordedAt: z.string() })

/**
 * The last hour of the import log, in no order, with the latest two steps per token: a collector has thousands. It omits
 * the hosts of a batch, which can be a thousand.
 */
export function listImportSteps(tenantId: string, limit: number): Query<ImportStep> {
  return {
    name: 'listImportSteps',
    statement: sql`
      SELECT token, state, recorded_at AS recordedAt
      FROM import_log_by_time
      WHERE tenant_id = ${uuid(tenantId)} AND recorded_at > now64(3) - INTERVAL 1 HOUR
      ORDER BY recorded_at DESC
      LIMIT 2 BY token
      LIMIT ${uint(limit)}`,
    row: importStepRow,
    pool: 'lookup',
  }
}

const unfinishedImportRow = z.object({ tenantId: z.string() })

export const listUnfinishedImports: Query<z.infer<typeof unfinishedImportRow>> = {
  name: 'listUnfinishedImports',
  statement: sql`
    SELECT DISTINCT tenant_id AS tenantId
    FROM (
      SELECT tenant_id
      FROM import_log
      GROUP BY tenant_id, previous_token, token, stored_from
      HAVING countIf(state = 'done') = 0
    )
    ORDER BY tenantId`,
  row: unfinishedImportRow,
}

const lostPartRow = z.object({
  tenantId: z.string(),
  siteId: z.string(),
  token: z.string(),
  storedFrom: time,
  doneAt: time,
  reports: rowCount,
  latestAt: time,
})

/** Reports of a site that a batch stored in one part, by the part's latest report. */
export type LostPart = z.output<typeof lostPartRow>

/** Parts in the import log whose latest report is missing from `reports`, without expired ones. */
const lostParts = (name: string, condition: Sql): Query<LostPart> => ({
  name,
  statement: sql`
    WITH logged AS (
      SELECT tenant_id, token, stored_from, max(recorded_at) AS done_at, argMax(retention_days, recorded_at) AS days,
        arrayJoin(argMax(parts, recorded_at)) AS part
      FROM import_log
      WHERE state = 'done' AND ${condition}
      GROUP BY tenant_id, previous_token, token, stored_from
    )
    SELECT toString(tenant_id) AS tenantId, toString(part.site_id) AS siteId, token, stored_from AS storedFrom,
      done_at AS doneAt, toUInt64(part.reports) AS reports, part.received_at AS latestAt
    FROM logged
    WHERE part.received_at >= toStartOfDay(now('UTC')) - toIntervalDay(days)
      AND (tenant_id, part.id) NOT IN (SELECT tenant_id, arrayJoin(part_ids) FROM report_deletions)
      AND (tenant_id, part.report_type, part.received_at, part.id) NOT IN (
        SELECT tenant_id, report_type, received_at, id
        FROM reports
        WHERE (tenant_id, report_type, received_at, id) IN (
          SELECT tenant_id, part.report_type, part.received_at, part.id FROM logged
        )
      )
    ORDER BY doneAt, token, latestAt`,
  row: lostPartRow,
  pool: 'maintenance',
})

/** @param since when the import log called them stored. */
export const listLostParts = (since: Date): Query<LostPart> =>
  lostParts('listLostParts', sql`recorded_at >= ${at(since)}`)

export const listLostPartsOfTenant = (tenantId: string): Query<LostPart> =>
  lostParts('listLostPartsOfTenant', sql`tenant_id = ${uuid(tenantId)}`)
