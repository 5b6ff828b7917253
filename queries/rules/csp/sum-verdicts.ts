import { type CspVerdictName, type CspVerdictReason, cspVerdicts } from '../../../schema/csp-verdicts.ts'
import { byText } from '../by-text.ts'
import { groupBy } from '../group-by.ts'
import { addTallies, estimate, type Tally } from '../weights.ts'
import type { JudgedReports } from './judge-sources.ts'

export const toCounts = (tally: Tally) => ({ reportCount: tally.reportCount, estimatedReportCount: estimate(tally) })

/** Numbers by verdict. @param rest reports of groups that one read did not take. */
export function sumVerdicts(judged: readonly JudgedReports[], rest: Tally) {
  const ofVerdict = (name: CspVerdictName) => {
    const found = judged.filter(({ verdict }) => verdict === name)
    const sources = new Set(found.map(({ group }) => group.key))
    const tallies = name === 'unknown' ? [...found, rest] : found
    return { ...toCounts(addTallies(tallies)), sourceCount: sources.size }
  }
  const [violation, silent, unknown] = cspVerdicts.map(ofVerdict) as [Counts, Counts, Counts]
  return { violation, silent, unknown, unknownReasons: unknownReasons(judged, rest) }
}

type Counts = ReturnType<typeof toCounts> & { readonly sourceCount: number }

/** Largest estimate first. */
function unknownReasons(judged: readonly JudgedReports[], rest: Tally) {
  const unknown = judged.flatMap(({ verdict, reason, ...tally }) =>
    verdict === 'unknown' && reason !== null ? [{ reason, tally: tally as Tally }] : [],
  )
  const all = rest.reportCount > 0 ? [...unknown, { reason: 'not_assessed' as CspVerdictReason, tally: rest }] : unknown
  return [...groupBy(all, ({ reason }) => reason)]
    .map(([reason, found]) => ({ reason, ...toCounts(addTallies(found.map(({ tally }) => tally))) }))
    .sort((a, b) => b.estimatedReportCount - a.estimatedReportCount || byText(a.reason, b.reason))
}
