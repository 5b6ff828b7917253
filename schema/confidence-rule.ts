/** Rule 45: an issue with at least so many reports and browser families has high confidence, with one of both medium. */
export const confidenceRule = { manyReports: 10, severalFamilies: 2 } as const
