import type { CspVerdictReason } from '../../csp-verdicts.ts'
import { groupBy } from '../group-by.ts'
import { addTallies, type Tally } from '../weights.ts'
import type { JudgedReports } from './judge-sources.ts'
import type { BlockedUrl } from './match-url.ts'

/** Reports of one directive and source that a policy reports, or may report. */
export interface AdvisableSource extends Tally {
  readonly directive: string
  readonly source: string
  /** Undefined for a keyword or a bare scheme. */
  readonly url: BlockedUrl | undefined
  readonly noiseCount: number
  /** True if every report is about its page's own origin. */
  readonly isSelf: boolean
  /** Reasons for unknown verdicts; null for a violation. */
  readonly verdictReasons: ReadonlySet<CspVerdictReason | null>
  readonly firstSeen: string
  readonly lastSeen: string
}

/** Earliest and latest of at least one RFC 3339 time in UTC. */
export function times(moments: readonly string[]) {
  let [first = '', last = first] = moments
  for (const moment of moments) {
    if (moment < first) first = moment
    if (moment > last) last = moment
  }
  return { first, last }
}

/** Sources in no order. */
export function advisableSources(judged: readonly JudgedReports[]): AdvisableSource[] {
  const open = judged.filter(({ verdict, reason }) => verdict !== 'silent' && reason !== 'not_assessed')
  return [...groupBy(open, ({ group }) => group.key).values()].map((found) => {
    const groups = found.map(({ group }) => group)
    const { directive, source, url } = groups[0] as JudgedReports['group']
    return {
      directive,
      source,
      url,
      ...addTallies(found),
      noiseCount: found.reduce((sum, { noiseCount }) => sum + noiseCount, 0),
      isSelf: groups.every(({ self }) => self === 'origin'),
      verdictReasons: new Set(found.map(({ reason }) => reason)),
      firstSeen: times(groups.map(({ firstSeen }) => firstSeen)).first,
      lastSeen: times(groups.map(({ lastSeen }) => lastSeen)).last,
    }
  })
}
