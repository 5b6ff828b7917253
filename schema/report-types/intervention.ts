import { type ReportTypeRow, sourcePosition } from '../report-type.ts'

export const intervention = {
  browserChange: true,
  carries: ['feature', 'sourceFile'],
  tells: ['message', 'lineNumber', 'columnNumber'],
  body: { documentUrl: ['envelopeUrl'], feature: ['text', 'id'], message: ['text', 'message'], ...sourcePosition },
} as const satisfies ReportTypeRow
