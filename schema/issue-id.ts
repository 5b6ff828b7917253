const digits = 16

export const issueIdPattern = /^[\da-f]{16}$/

/** An issue's id in the API is its key in hexadecimal. */
export const issueId = (key: bigint): string => key.toString(16).padStart(digits, '0')

/** Undefined if the text is not an id. */
export const keyOfIssueId = (id: string): bigint | undefined =>
  issueIdPattern.test(id) ? BigInt(`0x${id}`) : undefined

/** Subject and host of the issue of a type that has the reports of new issues above the bound (Rule 82). */
export const otherIssues = '(other)'
