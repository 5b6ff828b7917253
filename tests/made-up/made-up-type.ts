import type { ReportTypeRow } from '../../schema/report-type.ts'

/** A report type as a developer would add it: one definition, whose fields others have already. */
export const madeUpType = {
  issue: { subject: 'feature', hostOf: 'sourceFile' },
  browserChange: true,
  dimensions: ['feature', 'sourceFile', 'disposition', 'blockedHost'],
  extraFields: ['blockedUrl', 'blockedOrigin', 'message', 'lineNumber'],
  body: {
    documentUrl: ['envelopeUrl'],
    feature: ['text', 'madeUpThing'],
    sourceFile: ['withoutQuery', 'sourceFile'],
    disposition: ['disposition', 'disposition'],
    blockedUrl: ['withoutFragment', 'blockedUrl'],
    lineNumber: ['position', 'lineNumber'],
    message: ['text', 'message'],
  },
  stores: { never: { member: 'madeUpPhase', values: ['draft'] } },
} as const satisfies ReportTypeRow
