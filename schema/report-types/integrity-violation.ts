import type { ReportTypeRow } from '../report-type.ts'

export const integrityViolation = {
  issue: { subject: 'destination', hostOf: 'blockedUrl' },
  dimensions: ['disposition', 'blockedUrl', 'blockedOrigin', 'destination'],
  extraFields: ['blockedHost'],
  body: {
    documentUrl: ['documentUrl', 'documentUrl', 'documentUri'],
    disposition: ['reportOnly', 'reportOnly', 'disposition'],
    blockedUrl: ['withoutFragment', 'blockedUrl', 'blockedUri'],
    destination: ['text', 'destination'],
    scriptUrl: ['blockedScript', 'blockedUrl', 'blockedUri'],
  },
} as const satisfies ReportTypeRow
