import type { RecordType } from './record-type.ts'
import { alertDeliveries } from './types/alert-deliveries.ts'
import { alertRules } from './types/alert-rules.ts'
import { libraryAdvisories } from './types/library-advisories.ts'
import { libraryFiles } from './types/library-files.ts'
import { monitoredPages } from './types/monitored-pages.ts'
import { scans } from './types/scans.ts'
import { scriptCaptures } from './types/script-captures.ts'
import { scriptDecisions } from './types/script-decisions.ts'
import { sourceDecisions } from './types/source-decisions.ts'

/** The one list for the import commands and their help. */
export const recordTypes: readonly RecordType[] = [
  monitoredPages,
  scans,
  alertRules,
  alertDeliveries,
  scriptDecisions,
  sourceDecisions,
  scriptCaptures,
  libraryFiles,
  libraryAdvisories,
]
