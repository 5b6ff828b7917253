import type { ReportTypeRow } from '../report-type.ts'

export const networkError = {
  foreignPage: true,
  dimensions: ['feature'],
  extraFields: ['referrer', 'statusCode', 'phase', 'method', 'protocol', 'serverIp', 'elapsedMs', 'requestUrl'],
  body: {
    documentUrl: ['text', 'referrer'],
    feature: ['text', 'type'],
    referrer: ['withoutFragment', 'referrer'],
    statusCode: ['status', 'statusCode'],
    phase: ['text', 'phase'],
    method: ['text', 'method'],
    protocol: ['text', 'protocol'],
    serverIp: ['text', 'serverIp'],
    elapsedMs: ['duration', 'elapsedTime'],
    requestUrl: ['envelopeUrl'],
  },
  stores: { never: { member: 'type', values: ['ok'] } },
  sampleRate: ['fraction', 'samplingFraction'],
} as const satisfies ReportTypeRow
