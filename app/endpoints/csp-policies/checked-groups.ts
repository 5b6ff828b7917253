import { byText } from '../../../queries/rules/by-text.ts'
import { times } from '../../../queries/rules/csp/advisable-sources.ts'
import type { JudgedReports } from '../../../queries/rules/csp/judge-sources.ts'
import { toCounts } from '../../../queries/rules/csp/sum-verdicts.ts'
import { groupBy } from '../../../queries/rules/group-by.ts'
import { addTallies } from '../../../queries/rules/weights.ts'
import type { CspVerdictName } from '../../../schema/csp-verdicts.ts'
import { issueId } from '../../../schema/issue-id.ts'
import type { CspCheck } from '../../../schema/responses/csp-advice.ts'
import { issueOfSource } from './issue-of-source.ts'

type CheckedGroup = Omit<CspCheck['groups'][number], 'issueId'>

const rank: Readonly<Record<CspVerdictName, number>> = { violation: 0, unknown: 1, silent: 2 }

const largestFirst = (a: CheckedGroup, b: CheckedGroup): number =>
  rank[a.verdict] - rank[b.verdict] ||
  b.estimatedReportCount - a.estimatedReportCount ||
  byText(a.directive, b.directive) ||
  byText(a.source, b.source) ||
  byText(textOf(a), textOf(b))

const textOf = ({ reason, governedBy, matchedBy }: Pick<CheckedGroup, 'reason' | 'governedBy' | 'matchedBy'>) =>
  JSON.stringify([reason, governedBy, matchedBy])

/** Reports of one directive, source and verdict. */
export function checkedGroups(judged: readonly JudgedReports[]): CheckedGroup[] {
  const groups = groupBy(judged, ({ group: { directive, source }, verdict, reason, governedBy, matchedBy }) =>
    JSON.stringify([directive, source, verdict, reason, governedBy, matchedBy]),
  )
  return [...groups.values()]
    .map((reports): CheckedGroup => {
      const [{ group, verdict, reason, governedBy, matchedBy }] = reports as [JudgedReports]
      const { directive, source } = group
      return {
        ...{ directive, source, verdict, reason, governedBy, matchedBy },
        ...toCounts(addTallies(reports)),
        noiseCount: reports.reduce((sum, { noiseCount }) => sum + noiseCount, 0),
        lastSeen: times(reports.map((one) => one.group.lastSeen)).last,
      }
    })
    .sort(largestFirst)
}

/** The issue's id is a hash of 4 µs. */
export const withIssue = (siteId: string, group: CheckedGroup): CspCheck['groups'][number] => ({
  ...group,
  issueId: issueId(issueOfSource(siteId, group)),
})
