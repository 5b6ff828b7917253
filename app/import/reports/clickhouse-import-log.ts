import type { Database } from '../../../queries/clickhouse/database.ts'
import { insertRows } from '../../../queries/clickhouse/insert-rows.ts'
import { toClickHouseTime } from '../../../queries/sql/sql.ts'
import {
  findImportBatch,
  listImportBatches,
  listImportBoots,
  listLostPartsOfTenant,
} from '../../../queries/tenants/imports.ts'
import { unsyncedMs } from '../../../schema/durations.ts'
import type { ImportBatch, ImportLog, RangeState, StoredRange } from './import-log.ts'
import { withoutDeletedSites } from './without-deleted-sites.ts'

/** Starts of ClickHouse's machine, each possibly after a power cut. */
export interface Boots {
  /** Undefined if it cannot be known. */
  read(): Promise<string | undefined>
  isSame(one: string, other: string): boolean
}

interface Losses {
  /** Database of the tenant's rows: on a cluster its shard's, else the same. */
  readonly shard?: Pick<Database, 'read'>
  readonly boots?: Boots | undefined
}

type LoggedState = 'started' | 'restoring' | 'done'

interface LoggedRange {
  readonly storedFrom: number
  readonly state: LoggedState
  readonly boot: string
  readonly recordedAt: number
}

const batchColumns = (batch: ImportBatch) => ({
  previous_token: batch.previousToken,
  token: batch.token,
  hosts: batch.hosts,
  lines: batch.lines,
  imported_at: toClickHouseTime(new Date(batch.importedAt)),
  stored_from: toClickHouseTime(new Date(batch.storedFrom)),
  retention_days: batch.retentionDays,
})

const rangeColumns = ({ parts, ...counts }: StoredRange) => ({
  ...counts,
  parts: parts.map(({ reportType, siteId, receivedAt, id, reports }) => ({
    report_type: reportType,
    site_id: siteId,
    received_at: toClickHouseTime(new Date(receivedAt)),
    id,
    reports,
  })),
})

/** Writes one row of the table `import_log` for each step of a batch. */
export function clickHouseImportLog(
  database: Pick<Database, 'read' | 'insert'>,
  tenantId: string,
  { shard = database, boots }: Losses = {},
): ImportLog {
  let ownBoot: string | undefined
  let losses: Awaited<ReturnType<typeof readLosses>> | undefined

  async function checkBoot(): Promise<void> {
    const boot = await boots?.read()
    ownBoot ??= boot
    if (boot === undefined || ownBoot === undefined || boots?.isSame(boot, ownBoot)) return
    throw new Error(
      "ClickHouse's machine restarted during the import: run the same command again to restore lost reports",
    )
  }

  async function record(batch: ImportBatch, state: LoggedState, range: StoredRange) {
    await checkBoot()
    const step = { tenant_id: tenantId, state, boot: ownBoot ?? '', ...batchColumns(batch), ...rangeColumns(range) }
    await insertRows(database, 'import_log', [step])
  }

  async function readLosses() {
    const lost = await withoutDeletedSites(database, await shard.read(listLostPartsOfTenant(tenantId)))
    const known = await database.read(listImportBoots(tenantId))
    return { ranges: new Set(lost.map(({ token, storedFrom }) => `${token} ${storedFrom}`)), known }
  }

  async function stateOf(token: string, { storedFrom, state, boot, recordedAt }: LoggedRange): Promise<RangeState> {
    if (state === 'restoring') return 'restore'
    await checkBoot()
    const isOfOtherBoot = boots && boot !== '' && ownBoot !== undefined && !boots.isSame(boot, ownBoot)
    if (state === 'started') return isOfOtherBoot ? 'restore' : 'open'
    losses ??= await readLosses()
    if (losses.ranges.has(`${token} ${storedFrom}`)) return 'restore'
    if (!isOfOtherBoot) return 'done'
    const lastAt = Math.max(...losses.known.filter((one) => boots.isSame(one.boot, boot)).map((one) => one.lastAt))
    return recordedAt > lastAt - unsyncedMs ? 'restore' : 'done'
  }

  const nothing: StoredRange = { reports: 0, stored: 0, parts: [] }
  return {
    checkBoot,
    following: (previousToken) => database.read(listImportBatches(tenantId, previousToken)),
    async find(token, previousToken) {
      const logged = await database.read(findImportBatch(tenantId, previousToken, token))
      return Promise.all(logged.map(async (range) => ({ ...range, state: await stateOf(token, range) })))
    },
    start: (batch) => record(batch, batch.state === 'restore' ? 'restoring' : 'started', nothing),
    finish: (batch, stored) => record(batch, 'done', stored),
  }
}
