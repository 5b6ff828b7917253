import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import type { Database } from '../queries/clickhouse/database.ts'
import { isNamed } from '../queries/clickhouse/error-codes.ts'
import type { Query } from '../queries/sql/query.ts'
import { onlyRow, rowCount } from '../queries/sql/rows.ts'
import { sql } from '../queries/sql/sql.ts'
import { countBrokenParts } from './broken-parts.ts'

/**
 * Last start of ClickHouse's machine; for the embedded engine with its broken parts, as a full disk leaves them.
 * Undefined if unknown. Rejects if ClickHouse does not respond.
 */
export type ReadBoot = (signal: AbortSignal) => Promise<string | undefined>

/** Two starts of a machine are further apart, with a report stored between them; clocks are rarely changed by more. */
const toleranceSeconds = 10

const row = z.object({ second: rowCount })

/** The metrics are read together, a second ago, or longer if ClickHouse was frozen: by so much `uptime()` is ahead. */
export const findBoot: Query<z.infer<typeof row>> = {
  name: 'findBoot',
  statement: sql`
    SELECT toUInt64(toUnixTimestamp(now()) - uptime() - (machine - server)) AS second
    FROM (
      SELECT sumIf(value, metric = 'OSUptime') AS machine, sumIf(value, metric = 'Uptime') AS server
      FROM system.asynchronous_metrics
    )
    WHERE machine > 0 AND server > 0`,
  row,
  pool: 'lookup',
}

/** @param onUnknown called once if ClickHouse has no uptime, or denies it to this user. */
export function createBootReader(database: Pick<Database, 'read'>, onUnknown: () => void): ReadBoot {
  let find: 'by uptime' | 'by this machine' | 'unknown' = 'by uptime'
  let wasKnown = false
  return async (signal) => {
    if (find === 'by uptime') {
      const rows = await database.read(findBoot, { signal }).catch((error) => {
        // The embedded engine has no such table, and is of this machine.
        if (isNamed(error, 'UNKNOWN_TABLE')) find = 'by this machine'
        else if (!isNamed(error, 'ACCESS_DENIED')) throw error
        return []
      })
      if (rows[0]) {
        wasKnown = true
        return String(rows[0].second)
      }
      if (wasKnown) throw new Error("ClickHouse has not read its machine's uptime yet")
    }
    const boot = find === 'by this machine' ? await bootId() : undefined
    if (boot !== undefined) {
      const { parts } = onlyRow(await database.read(countBrokenParts, { signal }))
      return parts === 0 ? boot : `${boot} ${parts}`
    }
    if (find !== 'unknown') onUnknown()
    find = 'unknown'
    return undefined
  }
}

/** Available only on Linux. */
const bootId = () =>
  readFile('/proc/sys/kernel/random/boot_id', 'utf8').then(
    (id) => id.trim(),
    () => undefined,
  )

/** @param one and `other` are ids, or seconds since the epoch. */
export const isSameBoot = (one: string, other: string): boolean =>
  one === other || Math.abs(Number(one) - Number(other)) <= toleranceSeconds
