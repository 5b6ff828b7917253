import { type ReportTypeRow, sourcePosition } from '../report-type.ts'

export const permissionsPolicyViolation = {
  issue: { subject: 'feature', hostOf: 'sourceFile' },
  dimensions: ['disposition', 'feature', 'sourceFile'],
  extraFields: ['message', 'lineNumber', 'columnNumber'],
  body: {
    documentUrl: ['envelopeUrl'],
    disposition: ['disposition', 'disposition'],
    feature: ['text', 'policyId', 'featureId'],
    message: ['text', 'message'],
    ...sourcePosition,
  },
} as const satisfies ReportTypeRow
