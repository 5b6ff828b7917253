import type { ReportTypeRow } from '../report-type.ts'
import { intervention } from './intervention.ts'

export const deprecation = {
  ...intervention,
  extraFields: [...intervention.extraFields, 'anticipatedRemoval'],
  body: { ...intervention.body, anticipatedRemoval: ['moment', 'anticipatedRemoval'] },
} as const satisfies ReportTypeRow
