const digits = 16

/** An issue's id in the API is its key in hexadecimal. */
export const issueId = (key: bigint): string => key.toString(16).padStart(digits, '0')

export function keyOfIssueId(id: string): bigint | undefined {
  return /^[\da-f]{16}$/.test(id) ? BigInt(`0x${id}`) : undefined
}
