import type { ReportTypeRow } from '../report-type.ts'

/** Destinations that run their response as a script; a browser that names none means one of them. */
const scriptLike = ['', 'script', 'audioworklet', 'paintworklet', 'serviceworker', 'sharedworker', 'worker'] as const

export const cspHash = {
  dimensions: [],
  extraFields: [],
  body: {
    documentUrl: ['documentUrl', 'documentUrl', 'documentUri'],
    destination: ['text', 'destination'],
    scriptUrl: ['scriptUrl', 'subresourceUrl'],
    scriptHash: ['scriptHash', 'hash'],
    reportedHash: ['text', 'hash'],
  },
  stores: { only: { member: 'destination', values: scriptLike }, needs: ['scriptUrl', 'subresourceUrl'] },
} as const satisfies ReportTypeRow
