import type { Logger } from 'pino'
import { damageFix, describeDamage, findDamagedPart } from '../../clickhouse/damaged-part.ts'
import type { Database } from '../../queries/clickhouse/database.ts'

/** A restart repairs a part within 8 minutes on a server; a read takes 10 ms. */
const intervalMs = 20_000

/**
 * Logs each part that ClickHouse cannot read once. On a cluster it sees one server, whose replica repairs its parts.
 * @returns `isSound` for /readyz; true while unknown, for example for a user without the rights in users.xml.
 */
export function watchParts(database: Pick<Database, 'read'>, log: Logger, everyMs = intervalMs) {
  let damaged: string | undefined
  async function look(): Promise<void> {
    const [found] = await database.read(findDamagedPart).catch(() => [])
    const now = found && describeDamage(found)
    if (found && now !== damaged) log.error({ fix: damageFix(found) }, now)
    damaged = now
  }
  void look()
  const timer = setInterval(look, everyMs).unref()
  return { isSound: () => damaged === undefined, stop: () => clearInterval(timer) }
}
