import type { ReportTypeRow } from '../report-type.ts'

export const coep = {
  issue: { subject: 'destination', hostOf: 'blockedUrl' },
  dimensions: ['disposition', 'feature', 'blockedOrigin', 'destination'],
  extraFields: ['blockedHost', 'blockedUrl'],
  body: {
    documentUrl: ['envelopeUrl'],
    disposition: ['disposition', 'disposition'],
    feature: ['text', 'type'],
    blockedUrl: ['withoutFragment', 'blockedUrl', 'blockedUri'],
    destination: ['text', 'destination'],
  },
} as const satisfies ReportTypeRow
