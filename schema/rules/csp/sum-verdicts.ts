import { type CspVerdictName, type CspVerdictReason, cspVerdicts } from '../../csp-verdicts.ts'
import { byText } from '../by-text.ts'
import { groupBy } from '../group-by.ts'
import { addTallies, estimate, type Tally } from '../weights.ts'
import type { JudgedReports } from './judge-sources.ts'

export const toCounts = (tally: Tally) => ({ reportCount: tally.reportCount, estimatedReportCount: estimate(tally) })

/** Numbers by verdict. @param rest reports of groups that one read did not take. */
export function sumVerdicts(judged: readonly JudgedReports[], rest: Tally) {
  const byVerdict = groupBy(judged, ({ verdict }) => verdict)
  const ofVerdict = (name: CspVerdictName) => {
    const found = byVerdict.get(name) ?? []
    const sources = new Set(found.map(({ group }) => group.key))
    const tallies = name === 'unknown' ? [...found, rest] : found
    return { ...toCounts(addTallies(tallies)), sourceCount: sources.size }
  }
  const [violation, silent, unknown] = cspVerdicts.map(ofVerdict) as [Counts, Counts, Counts]
  return { violation, silent, unknown, unknownReasons: sumReasons(byVerdict.get('unknown') ?? [], rest) }
}

type Counts = ReturnType<typeof toCounts> & { readonly sourceCount: number }

/** Largest estimate first. */
function sumReasons(unknown: readonly JudgedReports[], rest: Tally) {
  const byReason = new Map<CspVerdictReason | null, readonly Tally[]>(groupBy(unknown, ({ reason }) => reason))
  if (rest.reportCount > 0) byReason.set('not_assessed', [...(byReason.get('not_assessed') ?? []), rest])
  return [...byReason]
    .flatMap(([reason, tallies]) => (reason === null ? [] : [{ reason, ...toCounts(addTallies(tallies)) }]))
    .sort((a, b) => b.estimatedReportCount - a.estimatedReportCount || byText(a.reason, b.reason))
}
