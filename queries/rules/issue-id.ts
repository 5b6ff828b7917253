import { hash } from 'node:crypto'

const digits = 16

/** An issue's id in the API is its key in hexadecimal. */
export const issueId = (key: bigint): string => key.toString(16).padStart(digits, '0')

export function keyOfIssueId(id: string): bigint | undefined {
  return /^[\da-f]{16}$/.test(id) ? BigInt(`0x${id}`) : undefined
}

interface Issue {
  /** Lower case. */
  readonly siteId: string
  readonly reportType: string
  readonly subject: string
  readonly host: string
}

/** Rule 44, as the column issue_key. */
export function issueKeyOf({ siteId, reportType, subject, host }: Issue): bigint {
  return BigInt(`0x${hash('md5', [siteId, reportType, subject, host].join('\n'), 'hex').slice(0, digits)}`)
}
