import type { Database } from '../../../queries/clickhouse/database.ts'
import { type Boots, clickHouseImportLog } from './clickhouse-import-log.ts'
import { clickHouseReportWriter, type UntilInStep } from './clickhouse-report-writer.ts'
import type { ImportOptions } from './import-reports.ts'
import { createNewValues } from './new-values.ts'
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
): Pick<ImportOptions, 'tenantId' | 'importLog' | 'writer' | 'restorer' | 'newValues' | 'recountsRepeated'> {
  const writer = clickHouseReportWriter(database, untilInStep)
  const { isKnown, bound } = createNewValues()
  return {
    tenantId,
    writer,
    newValues: {
      isKnown,
      async bound({ chunks, unknown }) {
        const bounded = await bound((query) => database.read(query, { signal }), unknown)
        return chunks.map((chunk) => bounded.get(chunk) ?? chunk)
      },
    },
    recountsRepeated: untilInStep !== undefined,
    importLog: clickHouseImportLog(database, tenantId, { shard, boots }),
    restorer: clickHouseRestorer({ database: shard, tenantId, writer, signal }),
  }
}
