import type { ReportTypeRow } from '../report-type.ts'

export const integrityViolation = {
  issue: { subject: 'destination', hostOf: 'blockedUrl' },
  carries: ['disposition', 'blockedUrl', 'blockedOrigin', 'destination'],
  tells: ['blockedHost'],
  body: {
    documentUrl: ['documentUrl', 'documentUrl', 'documentUri'],
    disposition: ['reportOnly', 'reportOnly', 'disposition'],
    blockedUrl: ['withoutFragment', 'blockedUrl', 'blockedUri'],
    destination: ['text', 'destination'],
    scriptUrl: ['blockedScript', 'blockedUrl', 'blockedUri'],
  },
} as const satisfies ReportTypeRow
