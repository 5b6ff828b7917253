import type { BlockedUrl } from '../../../schema/rules/csp/match-url.ts'
import { issueKeyOf } from '../../../schema/rules/issue-key-of.ts'

interface Source {
  readonly directive: string
  readonly source: string
  readonly url: BlockedUrl | undefined
}

/** Key of the issue that has the reports of a directive and source, and of other ports of its host. */
export const issueOfSource = (siteId: string, { directive, source, url }: Source): bigint =>
  issueKeyOf({ siteId, reportType: 'csp-violation', subject: directive, host: url?.host ?? source })
