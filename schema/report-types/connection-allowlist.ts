import type { ReportTypeRow } from '../report-type.ts'

export const connectionAllowlist = {
  issue: { subject: { word: 'connection' }, hostOf: 'blockedUrl' },
  dimensions: ['disposition', 'blockedOrigin'],
  extraFields: ['blockedHost', 'blockedUrl', 'policy'],
  body: {
    documentUrl: ['envelopeUrl'],
    disposition: ['disposition', 'disposition'],
    blockedUrl: ['withoutFragment', 'connection', 'blockedUrl'],
    policy: ['joined', 'allowlist'],
  },
  blocksHosts: true,
} as const satisfies ReportTypeRow
