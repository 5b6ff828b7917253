import { type ReportTypeRow, sourcePosition } from '../report-type.ts'

export const cspViolation = {
  issue: { subject: 'directive', hostOf: 'blockedUrl' },
  dimensions: ['disposition', 'directive', 'blockedHost'],
  extraFields: [
    'blockedUrl',
    'blockedOrigin',
    'sourceFile',
    'lineNumber',
    'columnNumber',
    'sample',
    'policy',
    'referrer',
    'statusCode',
  ],
  body: {
    documentUrl: ['documentUrl', 'documentUrl', 'documentUri'],
    disposition: ['disposition', 'disposition'],
    directive: ['firstWord', 'effectiveDirective', 'violatedDirective'],
    blockedUrl: ['withoutFragment', 'blockedUrl', 'blockedUri'],
    sample: ['text', 'sample', 'scriptSample'],
    policy: ['text', 'originalPolicy'],
    referrer: ['withoutFragment', 'referrer'],
    statusCode: ['status', 'statusCode'],
    ...sourcePosition,
  },
} as const satisfies ReportTypeRow
