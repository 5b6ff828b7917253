import { type ReportTypeRow, sourcePosition } from '../report-type.ts'

/** The first of these is the other party of the opener relation. */
const otherParties = [
  'openerUrl',
  'openeeUrl',
  'openedWindowUrl',
  'otherDocumentUrl',
  'otherUrl',
  'nextResponseUrl',
  'previousResponseUrl',
  'initialPopupUrl',
  'referrer',
] as const

export const coop = {
  issue: { subject: 'effectivePolicy', hostOf: 'otherOrigin' },
  dimensions: ['disposition', 'feature', 'effectivePolicy', 'otherOrigin'],
  extraFields: ['sourceFile', 'lineNumber', 'columnNumber', 'referrer'],
  body: {
    documentUrl: ['envelopeUrl'],
    disposition: ['disposition', 'disposition'],
    feature: ['access', 'type', 'property'],
    effectivePolicy: ['text', 'effectivePolicy'],
    otherOrigin: ['origin', ...otherParties],
    referrer: ['withoutFragment', 'referrer'],
    ...sourcePosition,
  },
} as const satisfies ReportTypeRow
