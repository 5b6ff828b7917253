import type { RecordType } from './record-type.ts'
import { alertDeliveries } from './record-types/alert-deliveries.ts'
import { alertRules } from './record-types/alert-rules.ts'
import { libraryAdvisories } from './record-types/library-advisories.ts'
import { libraryFiles } from './record-types/library-files.ts'
import { monitoredPages } from './record-types/monitored-pages.ts'
import { scans } from './record-types/scans.ts'
import { scriptCaptures } from './record-types/script-captures.ts'
import { scriptDecisions } from './record-types/script-decisions.ts'

/** Every kind of records that `import` takes: the one list that the commands and their help are made of. */
export const recordTypes: readonly RecordType[] = [
  monitoredPages,
  scans,
  alertRules,
  alertDeliveries,
  scriptDecisions,
  scriptCaptures,
  libraryFiles,
  libraryAdvisories,
]
