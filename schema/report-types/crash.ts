import type { ReportTypeRow } from '../report-type.ts'

export const crash = {
  dimensions: ['feature'],
  extraFields: ['isTopLevel', 'visibilityState', 'stack'],
  body: {
    documentUrl: ['envelopeUrl'],
    feature: ['text', 'reason'],
    isTopLevel: ['flag', 'isTopLevel'],
    visibilityState: ['text', 'visibilityState', 'pageVisibility'],
    stack: ['text', 'stack'],
    context: ['pairs', 'crashReportApi'],
  },
} as const satisfies ReportTypeRow
