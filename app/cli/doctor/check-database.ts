import { z } from 'zod'
import { requireNodes } from '../../../clickhouse/cluster/tenant-shards.ts'
import { findDiskSpace, hasRoom, reservedBytes } from '../../../clickhouse/disk-space.ts'
import { lackingMigrations, OtherRelease } from '../../../clickhouse/migrate.ts'
import { readMigrations } from '../../../clickhouse/migration-files.ts'
import { listRollups, rawTable } from '../../../clickhouse/rollups/list-rollups.ts'
import type { Database } from '../../../queries/clickhouse/database.ts'
import type { Query } from '../../../queries/sql/query.ts'
import { sql, texts } from '../../../queries/sql/sql.ts'
import { explainError } from '../../program/explain-error.ts'
import { canWrite, isLimitedToTenants, withoutPolicies } from '../../program/require-user.ts'
import { type Check, FaultWithFix } from './check.ts'
import { isOlder } from './is-older.ts'
import { ofEachServer } from './of-each-server.ts'

/** The release of compose.yaml and of the embedded engine, on which every test runs. */
const oldestClickHouse = '26.7'

const onlyRow = async <Row>(database: Database, query: Query<Row>): Promise<Row> => {
  const [row] = await database.read(query)
  if (row === undefined) throw new Error(`${query.name} has no row`)
  return row
}

const findVersion: Query<{ version: string }> = {
  name: 'findVersion',
  statement: sql`SELECT version() AS version`,
  row: z.object({ version: z.string() }),
}

const fixOfFolder = 'set DATA_DIR to a folder that this user can write to, or CLICKHOUSE_URL to a server'

export const clickHouse: Check = {
  name: 'clickhouse',
  fix: `start ClickHouse ${oldestClickHouse} or newer, and correct host, user and password in CLICKHOUSE_URL`,
  async run({ config, database }) {
    const access = await database().catch((error: unknown) => {
      throw config().CLICKHOUSE_URL ? error : new FaultWithFix(explainError(error), fixOfFolder)
    })
    if (access.cluster) requireNodes(access.cluster)
    const found = await ofEachServer(access, async (server, url) => {
      const { version } = await onlyRow(server, findVersion)
      if (isOlder(version, oldestClickHouse))
        throw new Error(`ClickHouse at ${url} is ${version}, older than ${oldestClickHouse}`)
      return `${version} at ${url}`
    })
    return `ClickHouse ${found.join(', ')}`
  },
}

export const migrations: Check = {
  name: 'migrations',
  fix: 'run "migrate" as the writer while no import is running',
  async run({ database }) {
    const files = await readMigrations()
    const pending = await lackingMigrations((await database()).reader, files).catch(throwWithFix)
    if (pending.length > 0) throw new Error(`the database lacks ${pending.join(', ')}`)
    return `all ${files.length} are applied`
  },
}

function throwWithFix(error: unknown): never {
  throw error instanceof OtherRelease ? new FaultWithFix(error.found, error.fix) : error
}

const findUser: Query<{ user: string }> = {
  name: 'findUser',
  statement: sql`SELECT currentUser() AS user`,
  row: z.object({ user: z.string() }),
}

async function findRights(database: Database): Promise<{ user: string; writes: boolean }> {
  const { user } = await onlyRow(database, findUser)
  return { user, writes: await canWrite(database) }
}

export const users: Check = {
  name: 'users',
  fix: "give ClickHouse the project's clickhouse/server/users.xml: the users reader and analyst cannot write, the user writer can",
  async run({ database }) {
    const { reader, analyst, writer } = await database()
    const found = await Promise.all([...new Set([reader, analyst, writer])].map(findRights))
    if (found[0]?.user === 'reader' && !(await isLimitedToTenants(reader)))
      throw new FaultWithFix(withoutPolicies.found, withoutPolicies.fix)
    for (const { user, writes } of found) {
      const mayOnlyRead = user === 'reader' || user === 'analyst'
      if (mayOnlyRead && writes) throw new Error(`the user ${user} can write`)
      if (!mayOnlyRead && !writes) throw new Error(`the user ${user} cannot write`)
    }
    const rights = found.map(({ user, writes }) => `${user} ${writes ? 'can' : 'cannot'} write`).join(', ')
    return found.length > 1
      ? rights
      : `${rights}; to check another user, run doctor with the CLICKHOUSE_URL of that user`
  },
}

const listExpiring = (tables: readonly string[]): Query<{ table: string }> => ({
  name: 'listExpiring',
  statement: sql`
    SELECT name AS table
    FROM system.tables
    WHERE database = currentDatabase() AND name IN ${texts(tables)} AND match(engine_full, ' TTL .*retention_days')`,
  row: z.object({ table: z.string() }),
})

export const retention: Check = {
  name: 'retention',
  fix: 'run ALTER TABLE ... MODIFY TTL with the TTL of the table in clickhouse/migrations',
  async run({ database }) {
    let tables: readonly string[] = []
    for (const shard of (await database()).shards()) {
      tables = [rawTable, ...(await listRollups(shard)).map(({ table }) => table)]
      const expiring = new Set((await shard.read(listExpiring(tables))).map(({ table }) => table))
      const lacking = tables.filter((table) => !expiring.has(table))
      if (lacking.length > 0) throw new Error(`reports never expire in ${lacking.join(', ')}`)
    }
    return `reports and their ${tables.length - 1} rollups expire by retention_days`
  },
}

/** Share below which ClickHouse can lack the room to merge its largest parts. */
const freeShare = 0.05
const gigabyte = 1e9
const inGigabytes = (bytes: number) => (bytes / gigabyte).toFixed(bytes < 10 * gigabyte ? 1 : 0)

export const disk: Check = {
  name: 'disk',
  fix: 'enlarge the ClickHouse disk, or shorten the retention of tenants with "tenants update"',
  async run({ database }) {
    const disks = await ofEachServer(await database(), async (server) => {
      const { free, size } = await onlyRow(server, findDiskSpace)
      const found = `${inGigabytes(free)} of ${inGigabytes(size)} GB are free`
      if (!hasRoom({ free, size })) {
        const least = (reservedBytes(size) / gigabyte).toPrecision(2)
        throw new Error(`${found}: below ${least} GB ClickHouse rejects inserts and stops merging`)
      }
      if (free < size * freeShare) throw new Error(`${found}, less than ${freeShare * 100} %`)
      return found
    })
    return disks.join(', ')
  },
}
