const digits = 16

/** An issue's id as the API answers it: its key in hexadecimal. */
export const issueId = (key: bigint): string => key.toString(16).padStart(digits, '0')

/** The key of an id; undefined for a text that no issue can have as its id. */
export function keyOfIssueId(id: string): bigint | undefined {
  return /^[\da-f]{16}$/.test(id) ? BigInt(`0x${id}`) : undefined
}
