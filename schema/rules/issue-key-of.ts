import { hash } from 'node:crypto'

interface Issue {
  /** Lower case. */
  readonly siteId: string
  readonly reportType: string
  readonly subject: string
  readonly host: string
}

/** Rule 44; equal to the column issue_key. */
export function issueKeyOf({ siteId, reportType, subject, host }: Issue): bigint {
  return BigInt(`0x${hash('md5', [siteId, reportType, subject, host].join('\n'), 'hex').slice(0, 16)}`)
}
