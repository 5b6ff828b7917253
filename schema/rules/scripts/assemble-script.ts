import type { LibraryIdentity, Script, ScriptCapture, ScriptDecision } from '../../responses/script.ts'
import type { ScriptSource } from '../../scripts.ts'
import { type ScanFinding, scanPresence } from '../scans/scan-presence.ts'
import { type AdvisoryCheck, assessScript } from './script-advisories.ts'
import { type IntegrityEvidence, scriptCoverage } from './script-coverage.ts'
import { scriptId } from './script-id.ts'
import { identifyScript } from './script-identification.ts'

/** Times in milliseconds since the Unix epoch, 0 for never. */
interface ScriptVersion {
  readonly hash: string
  readonly seenTo: number
  readonly reportedFrom: number
  readonly scannedFrom: number
  /** True if the current authorization pins it. */
  readonly pinned: boolean
}

export interface InventoriedScript
  extends Pick<Script, 'url' | 'firstSeenAt' | 'lastSeenAt' | 'lastNewHashAt' | 'hashesTruncated'> {
  /** The last seen first. */
  readonly versions: readonly ScriptVersion[]
}

export interface ScriptFacts {
  readonly siteId: string
  readonly inventoried: InventoriedScript
  readonly decisions: readonly ScriptDecision[]
  readonly captures: ReadonlyMap<string, ScriptCapture>
  /** Null without reports in the window. */
  readonly activity: Script['activity']
  readonly violation: IntegrityEvidence['violation']
  /** The latest scan of each payment page that found it in the window. */
  readonly findings: readonly ScanFinding[]
}

export interface InventoryFacts {
  /** Rule 57. */
  readonly reporting: boolean
  readonly identityOf: (hash: string) => LibraryIdentity | undefined
  readonly checkOf: (library: LibraryIdentity) => AdvisoryCheck | undefined
  readonly includesAdvisories: boolean
}

export function assembleScript(facts: ScriptFacts, common: InventoryFacts): Script {
  const { siteId, inventoried, decisions, activity, findings, violation } = facts
  const { versions, ...seen } = inventoried
  const decision = decisions.at(-1)
  const tags = findings.flatMap(({ hasIntegrity }) => hasIntegrity ?? [])
  // The last hashed version; unhashed sightings do not count.
  const current = versions.find(({ hash }) => hash !== '')
  const identity = current && (common.identityOf(current.hash) ?? null)
  return {
    id: scriptId(siteId, seen.url),
    siteId,
    url: seen.url,
    host: new URL(seen.url).hostname,
    status: decision?.status ?? 'unreviewed',
    integrityMode: decision?.integrityMode ?? null,
    decidedBy: decision?.decidedBy ?? null,
    decidedAt: decision?.decidedAt ?? null,
    justification: decision?.justification ?? null,
    firstSeenAt: seen.firstSeenAt,
    lastSeenAt: seen.lastSeenAt,
    lastNewHashAt: seen.lastNewHashAt,
    hashes: versions.map((version) => toVersion(version, facts, common)),
    hashesTruncated: seen.hashesTruncated,
    coverage: scriptCoverage({
      reporting: common.reporting,
      reported: activity !== null,
      violation,
      tagsHaveIntegrity: tags.length === 0 ? undefined : tags.every((hasIntegrity) => hasIntegrity),
    }),
    identification: identifyScript(seen.url, identity),
    advisories: assessScript(
      common.includesAdvisories,
      identity ?? null,
      identity ? common.checkOf(identity) : undefined,
    ),
    activity,
    scanPresence: scanPresence(findings),
  }
}

const iso = (time: number) => new Date(time).toISOString()

function toVersion(
  { hash, seenTo, reportedFrom, scannedFrom, pinned }: ScriptVersion,
  { captures }: ScriptFacts,
  { identityOf }: InventoryFacts,
): Script['hashes'][number] {
  // An unhashed tag in a scan is not a sighting.
  const firsts: readonly (readonly [ScriptSource, number])[] = [
    ['report', reportedFrom],
    ['scan', hash === '' ? 0 : scannedFrom],
  ]
  const sighted = firsts.filter(([, from]) => from > 0).sort(([, a], [, b]) => a - b)
  const [[source, from] = ['report', seenTo] as const] = sighted
  return {
    hash,
    source,
    sources: sighted.map(([one]) => one),
    pinned,
    firstSeenAt: iso(from),
    lastSeenAt: iso(seenTo),
    identity: identityOf(hash) ?? null,
    capture: captures.get(hash) ?? null,
  }
}
