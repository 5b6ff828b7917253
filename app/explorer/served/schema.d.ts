/** Parts of the API's schema for the page; app/api/explorer-page.ts writes the module. */

export const reportTypes: Readonly<Record<string, readonly string[]>>
export const issueSubjects: Readonly<Record<string, string | { readonly word: string }>>
export const rankingDimensions: readonly string[]
export const confidenceRule: { readonly manyReports: number; readonly severalFamilies: number }
export const keyPattern: string
/** Pattern of values that text filters accept. */
export const filterablePattern: string
export const parameters: Readonly<Record<string, readonly string[]>>
export const windowDays: Readonly<Record<string, number>>
