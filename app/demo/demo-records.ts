import { demoAlertDeliveries, demoAlertRules } from '../../fixtures/demo-alerts.ts'
import { demoMonitoredPages } from '../../fixtures/demo-monitored-pages.ts'
import { demoScans } from '../../fixtures/demo-scans.ts'
import {
  demoLibraryAdvisories,
  demoLibraryFiles,
  demoScriptCaptures,
  demoScriptDecisions,
} from '../../fixtures/demo-script-records.ts'
import { demoSourceDecisions } from '../../fixtures/demo-source-decisions.ts'
import type { DemoTenant } from '../../fixtures/demo-tenants.ts'
import { demoBegan } from '../../fixtures/demo-timeline.ts'
import type { Database } from '../../queries/clickhouse/database.ts'
import { toClickHouseTime } from '../../queries/sql/sql.ts'
import { importObjects } from '../import/records/import-objects.ts'
import type { RecordRow, RecordType } from '../import/records/record-type.ts'
import { alertDeliveries } from '../import/records/types/alert-deliveries.ts'
import { alertRules } from '../import/records/types/alert-rules.ts'
import { libraryAdvisories } from '../import/records/types/library-advisories.ts'
import { libraryFiles } from '../import/records/types/library-files.ts'
import { monitoredPages } from '../import/records/types/monitored-pages.ts'
import { scans } from '../import/records/types/scans.ts'
import { scriptCaptures } from '../import/records/types/script-captures.ts'
import { scriptDecisions } from '../import/records/types/script-decisions.ts'
import { sourceDecisions } from '../import/records/types/source-decisions.ts'

/** Referenced records come first. Repeating the same records changes nothing. */
export async function importDemoRecords(database: Database, tenant: DemoTenant, now: Date): Promise<void> {
  const pages = demoMonitoredPages(tenant)
  const began = toClickHouseTime(demoBegan(now))
  const records: readonly (readonly [RecordType, readonly object[]])[] = [
    [recorded(monitoredPages, () => began), pages],
    [recorded(scans, (row) => row.scanned_at), demoScans({ pages, now })],
    [recorded(alertRules, () => began), demoAlertRules(tenant)],
    [recorded(alertDeliveries, (row) => row.created_at), demoAlertDeliveries({ tenant, now })],
    [recorded(scriptDecisions, (row) => row.decided_at), demoScriptDecisions(tenant, now)],
    [recorded(sourceDecisions, (row) => row.decided_at), demoSourceDecisions(tenant, now)],
    [scriptCaptures, demoScriptCaptures(tenant)],
    [libraryFiles, demoLibraryFiles],
    [libraryAdvisories, demoLibraryAdvisories(now)],
  ]
  for (const [type, ofType] of records) {
    await importObjects({ type, database, tenantId: type.isGlobal ? undefined : tenant.id }, ofType)
  }
}

/** Stored as if recorded when it happened, so that a PCI DSS report as of an earlier day includes it. */
function recorded(type: RecordType, timeOf: (row: RecordRow) => unknown): RecordType {
  return {
    ...type,
    toRow(record, line) {
      const row = type.toRow(record, line)
      return { ...row, updated_at: timeOf(row) }
    },
  }
}
