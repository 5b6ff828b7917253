import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import type { Database } from '../../queries/clickhouse/database.ts'
import { isNamed } from '../../queries/clickhouse/error-codes.ts'
import type { Query } from '../../queries/sql/query.ts'
import { rowCount } from '../../queries/sql/rows.ts'
import { sql } from '../../queries/sql/sql.ts'

/** The last start of ClickHouse's machine; undefined if it cannot be known. Rejects if ClickHouse does not respond. */
export type ReadBoot = (signal: AbortSignal) => Promise<string | undefined>

/** ClickHouse reads the uptime every second, or later if it was frozen. */
const toleranceSeconds = 30

const row = z.object({ second: rowCount })

const findBoot: Query<z.infer<typeof row>> = {
  name: 'findBoot',
  statement: sql`
    SELECT toUInt64(toUnixTimestamp(now()) - value) AS second
    FROM system.asynchronous_metrics
    WHERE metric = 'OSUptime' AND value > 0`,
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
      if (wasKnown) throw new Error('ClickHouse has not read the uptime of its machine yet')
    }
    const boot = find === 'by this machine' ? await bootId() : undefined
    if (boot !== undefined) return boot
    if (find !== 'unknown') onUnknown()
    find = 'unknown'
    return undefined
  }
}

/** Of Linux alone. */
const bootId = () =>
  readFile('/proc/sys/kernel/random/boot_id', 'utf8').then(
    (id) => id.trim(),
    () => undefined,
  )

/** @param one and `other` are ids, or seconds since the epoch. */
export const isSameBoot = (one: string, other: string): boolean =>
  one === other || Math.abs(Number(one) - Number(other)) <= toleranceSeconds
