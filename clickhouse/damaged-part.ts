import { z } from 'zod'
import type { Query } from '../queries/sql/query.ts'
import { rowTime } from '../queries/sql/rows.ts'
import { sql } from '../queries/sql/sql.ts'

const row = z.object({ table: z.string(), part: z.string(), restartBefore: rowTime })

export type DamagedPart = z.infer<typeof row>

/**
 * An active part that a read or a merge found damaged since ClickHouse started (error 246, CORRUPTED_DATA), for example
 * after a full disk. A part fetched from a replica later is newer than the error. Merged parts remain for
 * `old_parts_lifetime`.
 */
export const findDamagedPart: Query<DamagedPart> = {
  name: 'findDamagedPart',
  statement: sql`
    WITH (SELECT toUInt32(value) FROM system.merge_tree_settings WHERE name = 'old_parts_lifetime') AS old_parts_lifetime
    SELECT table, name AS part, (modification_time + old_parts_lifetime)::DateTime64(3, 'UTC') AS restartBefore
    FROM system.parts
    CROSS JOIN (SELECT last_error_time, last_error_message FROM system.errors WHERE name = 'CORRUPTED_DATA') AS errors
    WHERE active AND match(database, '^(default|reports)') AND modification_time <= last_error_time
      AND position(last_error_message, path) > 0
    LIMIT 1`,
  row,
  pool: 'maintenance',
}

export const describeDamage = ({ table, part }: DamagedPart): string =>
  `ClickHouse cannot read the part ${part} of ${table}`

/** The restart sets the part aside, and has the parts again that were merged into it. */
export function damageFix({ restartBefore }: DamagedPart): string {
  const time = `${restartBefore.slice(11, 19)} UTC`
  return Date.parse(restartBefore) > Date.now()
    ? `restart ClickHouse before ${time}: until then it has the parts that were merged into this part`
    : `restart ClickHouse; the parts that were merged into this part were deleted at ${time}, so import again or restore the data that "doctor" then reports`
}
