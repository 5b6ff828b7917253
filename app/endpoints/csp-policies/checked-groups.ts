import type { CspVerdictName } from '../../../schema/csp-verdicts.ts'
import { issueId } from '../../../schema/issue-id.ts'
import type { CspCheck } from '../../../schema/responses/csp-advice.ts'
import { byText } from '../../../schema/rules/by-text.ts'
import { times } from '../../../schema/rules/csp/advisable-sources.ts'
import type { JudgedReports } from '../../../schema/rules/csp/judge-sources.ts'
import { toCounts } from '../../../schema/rules/csp/sum-verdicts.ts'
import { groupBy } from '../../../schema/rules/group-by.ts'
import { addTallies, estimate } from '../../../schema/rules/weights.ts'
import { issueOfSource } from './issue-of-source.ts'

type CheckedGroup = CspCheck['groups'][number]

const rank: Readonly<Record<CspVerdictName, number>> = { violation: 0, unknown: 1, silent: 2 }

/** Reports of one directive, source and verdict. */
interface Group {
  readonly reports: readonly [JudgedReports, ...JudgedReports[]]
  readonly estimatedReportCount: number
}

function largestFirst(a: Group, b: Group): number {
  const [[one], [other]] = [a.reports, b.reports]
  return (
    rank[one.verdict] - rank[other.verdict] ||
    b.estimatedReportCount - a.estimatedReportCount ||
    byText(one.group.directive, other.group.directive) ||
    byText(one.group.source, other.group.source) ||
    byText(textOf(one), textOf(other))
  )
}

const textOf = ({ reason, governedBy, matchedBy }: JudgedReports) => JSON.stringify([reason, governedBy, matchedBy])

/** The first `limit` groups, and the number of all. */
export function checkedGroups(siteId: string, judged: readonly JudgedReports[], limit: number) {
  const reportsByGroup = groupBy(
    judged,
    ({ group, verdict, reason, governedBy, matchedBy }) =>
      `${group.key} ${verdict} ${reason} ${governedBy} ${matchedBy}`,
  )
  const groups = [...reportsByGroup.values()]
    .map((reports) => ({ reports: reports as [JudgedReports], estimatedReportCount: estimate(addTallies(reports)) }))
    .sort(largestFirst)
  return {
    groups: groups.slice(0, limit).map(({ reports }) => toCheckedGroup(siteId, reports)),
    groupCount: groups.length,
  }
}

function toCheckedGroup(siteId: string, reports: Group['reports']): CheckedGroup {
  const [{ group, verdict, reason, governedBy, matchedBy }] = reports
  return {
    directive: group.directive,
    source: group.source,
    verdict,
    reason,
    governedBy,
    matchedBy,
    ...toCounts(addTallies(reports)),
    noiseCount: reports.reduce((sum, { noiseCount }) => sum + noiseCount, 0),
    lastSeen: times(reports.map((one) => one.group.lastSeen)).last,
    issueId: issueId(issueOfSource(siteId, group)),
  }
}
