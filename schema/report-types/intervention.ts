import { type ReportTypeRow, sourcePosition } from '../report-type.ts'

export const intervention = {
  browserChange: true,
  dimensions: ['feature', 'sourceFile'],
  extraFields: ['message', 'lineNumber', 'columnNumber'],
  body: { documentUrl: ['envelopeUrl'], feature: ['text', 'id'], message: ['text', 'message'], ...sourcePosition },
} as const satisfies ReportTypeRow
