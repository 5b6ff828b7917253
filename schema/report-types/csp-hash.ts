import type { ReportTypeRow } from '../report-type.ts'

/** Destinations that run as scripts, including ''. */
const scriptLike = ['', 'script', 'audioworklet', 'paintworklet', 'serviceworker', 'sharedworker', 'worker'] as const

export const cspHash = {
  dimensions: [],
  extraFields: [],
  body: {
    documentUrl: ['documentUrl', 'documentUrl', 'documentUri'],
    destination: ['text', 'destination'],
    scriptUrl: ['scriptUrl', 'subresourceUrl'],
    requestUrl: ['scriptRequestUrl', 'subresourceUrl'],
    scriptHash: ['scriptHash', 'hash'],
    reportedHash: ['text', 'hash'],
  },
  stores: { only: { member: 'destination', values: scriptLike }, requires: ['scriptUrl', 'subresourceUrl'] },
} as const satisfies ReportTypeRow
