import type { Database } from '../../../queries/clickhouse/database.ts'
import { type Boots, clickHouseImportLog } from './clickhouse-import-log.ts'
import { clickHouseReportWriter, type UntilInStep } from './clickhouse-report-writer.ts'
import type { ImportOptions } from './import-reports.ts'
import { clickHouseRestorer } from './restore-reports.ts'

export interface ImportTarget {
  /** Database of the tenant's rows: on a cluster its shard's, else the same. */
  readonly shard?: Database
  /** Undefined on a cluster, where a replica fetches lost parts from another replica. */
  readonly boots?: Boots | undefined
  /** Only on a cluster. */
  readonly untilInStep?: UntilInStep | undefined
  readonly signal?: AbortSignal | undefined
}

/** Target of an import: a tenant's reports and import log. */
export function importInto(
  database: Database,
  tenantId: string,
  { shard = database, boots, untilInStep, signal }: ImportTarget = {},
): Pick<ImportOptions, 'tenantId' | 'importLog' | 'writer' | 'restorer' | 'recountsRepeated'> {
  const writer = clickHouseReportWriter(database, untilInStep)
  return {
    tenantId,
    writer,
    recountsRepeated: untilInStep !== undefined,
    importLog: clickHouseImportLog(database, tenantId, { shard, boots }),
    restorer: clickHouseRestorer({ database: shard, tenantId, writer, signal }),
  }
}
