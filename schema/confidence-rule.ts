/**
 * Rule 45: issues with at least this number of reports and browser families have high confidence; with only one of
 * them, medium.
 */
export const confidenceRule = { manyReports: 10, severalFamilies: 2 } as const
