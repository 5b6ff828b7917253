import type { LibraryIdentity, Script } from '../../responses/script.ts'
import { type Severity, severities } from '../../scripts.ts'
import { byText } from '../by-text.ts'
import { compareVersions, isWithin, type VersionRange } from './library-version.ts'

export interface Advisory {
  readonly id: string
  readonly aliases: readonly string[]
  readonly ranges: readonly VersionRange[]
  /** The database's own rating. */
  readonly severity: Severity | null
  /** CVSS v3 base score, 0 to 10. */
  readonly cvssScore: number | null
  readonly url: string
  readonly modifiedAt: string
}

export interface AdvisoryCheck {
  readonly checkedAt: string
  readonly advisories: readonly Advisory[]
}

/** Lowest CVSS v3 base score of each rating in the specification, without `none`. */
const ratings: readonly (readonly [number, Severity])[] = [
  [9, 'critical'],
  [7, 'high'],
  [4, 'medium'],
  [0, 'low'],
]

export function severityOf({ severity, cvssScore }: Pick<Advisory, 'severity' | 'cvssScore'>): Severity {
  if (severity !== null) return severity
  return ratings.find(([lowest]) => cvssScore !== null && cvssScore >= lowest)?.[1] ?? 'unknown'
}

type Assessed = Script['advisories']
type Item = Assessed['items'][number]

const withoutItems = (state: Assessed['state']): Assessed => ({ state, severity: null, checkedAt: null, items: [] })

/** Rule 59. */
export function assessScript(
  included: boolean,
  identity: LibraryIdentity | null,
  check: AdvisoryCheck | undefined,
): Assessed {
  if (!included) return withoutItems('not_included')
  if (!identity) return withoutItems('not_assessed')
  if (!check) return withoutItems('pending')
  const { checkedAt } = check
  const items = check.advisories.flatMap((advisory) => itemOf(advisory, identity)).sort(worstFirst)
  const [worst] = items
  return worst
    ? { state: 'affected', severity: worst.severity, checkedAt, items }
    : { ...withoutItems('none_known'), checkedAt }
}

function itemOf(advisory: Advisory, { version, catalog }: LibraryIdentity): Item[] {
  const within = advisory.ranges.filter((range) => isWithin(version, range))
  if (within.length === 0) return []
  const { id, aliases, url, modifiedAt } = advisory
  const [fixedIn = null] = within.flatMap(({ fixed }) => fixed ?? []).sort(compareVersions)
  return [{ id, aliases: cveFirst(aliases), severity: severityOf(advisory), fixedIn, url, catalog, modifiedAt }]
}

const isCve = (alias: string) => /^CVE-/i.test(alias)

const cveFirst = (aliases: readonly string[]) => [...aliases.filter(isCve), ...aliases.filter((alias) => !isCve(alias))]

function worstFirst(a: Item, b: Item): number {
  return severities.indexOf(a.severity) - severities.indexOf(b.severity) || byText(a.id, b.id)
}
