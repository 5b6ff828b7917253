import type { Script, ScriptCapture, ScriptDecision } from '../../../schema/responses/script.ts'
import type { ScriptSource } from '../../../schema/scripts.ts'
import { type PageScan, scanPresence } from '../scans/scan-presence.ts'
import { type AdvisoryCheck, assessScript } from './script-advisories.ts'
import { type IntegrityEvidence, scriptCoverage } from './script-coverage.ts'
import { scriptId } from './script-id.ts'
import { identifyScript, type LibraryIdentity } from './script-identification.ts'

/** The bytes that a script had for a while; times in milliseconds since the Unix epoch, 0 for never. */
interface ScriptVersion {
  /** Empty where a browser reported none. */
  readonly hash: string
  readonly seenTo: number
  /** When browsers first reported it. */
  readonly reportedFrom: number
  /** When a scan first found it. */
  readonly scannedFrom: number
}

/** A script of a site's inventory. */
export interface InventoriedScript extends Pick<Script, 'url' | 'firstSeenAt' | 'lastSeenAt' | 'lastNewHashAt'> {
  /** The last seen first. */
  readonly versions: readonly ScriptVersion[]
}

/** All that is known of one script of a site. */
export interface ScriptFacts {
  readonly siteId: string
  readonly inventoried: InventoriedScript
  /** Oldest first. */
  readonly decisions: readonly ScriptDecision[]
  /** By hash. */
  readonly captures: ReadonlyMap<string, ScriptCapture>
  /** What browsers reported in the window; null when nothing. */
  readonly activity: Script['activity']
  readonly violation: IntegrityEvidence['violation']
  /** The latest scan of each payment page that found it in the window. */
  readonly findings: readonly ScanFinding[]
}

/** A scan that found a script. */
interface ScanFinding extends PageScan {
  /** All tags of the script had integrity metadata then. */
  readonly hasIntegrity: boolean
}

/** What is known of the site, of public libraries and of the plan. */
export interface InventoryFacts {
  /** Browsers reported an integrity violation of any of the site's scripts in the window. */
  readonly reporting: boolean
  /** The latest scan of a payment page that loaded it in the window. */
  readonly loadingScanOf: (pageId: string) => PageScan | undefined
  readonly identityOf: (hash: string) => LibraryIdentity | undefined
  readonly checkOf: (library: LibraryIdentity) => AdvisoryCheck | undefined
  readonly plansAdvisories: boolean
}

/** A script as the API answers it (contract, Script). */
export function assembleScript(facts: ScriptFacts, common: InventoryFacts): Script {
  const { siteId, inventoried, decisions, activity, findings, violation } = facts
  const { versions, ...seen } = inventoried
  const decision = decisions.at(-1)
  // The bytes seen last are what the script is now; a sighting without a hash tells nothing of them.
  const current = versions.find(({ hash }) => hash !== '')
  const identity = current && (common.identityOf(current.hash) ?? null)
  return {
    id: scriptId(siteId, seen.url),
    siteId,
    url: seen.url,
    host: new URL(seen.url).host,
    status: decision?.status ?? 'unreviewed',
    integrityMode: decision?.integrityMode ?? null,
    decidedBy: decision?.decidedBy ?? null,
    decidedAt: decision?.decidedAt ?? null,
    justification: decision?.justification ?? null,
    firstSeenAt: seen.firstSeenAt,
    lastSeenAt: seen.lastSeenAt,
    lastNewHashAt: seen.lastNewHashAt,
    hashes: versions.map((version) => toVersion(version, decision, facts, common)),
    coverage: scriptCoverage({
      reporting: common.reporting,
      reported: activity !== null,
      violation,
      tagsHaveIntegrity: findings.length === 0 ? undefined : findings.every(({ hasIntegrity }) => hasIntegrity),
    }),
    identification: identifyScript(seen.url, identity),
    advisories: assessScript(common.plansAdvisories, identity ?? null, identity ? common.checkOf(identity) : undefined),
    activity,
    scanPresence: scanPresence(findings, common.loadingScanOf),
  }
}

const iso = (time: number) => new Date(time).toISOString()

function toVersion(
  { hash, seenTo, reportedFrom, scannedFrom }: ScriptVersion,
  decision: ScriptDecision | undefined,
  { captures }: ScriptFacts,
  { identityOf }: InventoryFacts,
): Script['hashes'][number] {
  // A scan's tags without a hash are no sighting of bytes.
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
    pinned: hash !== '' && isPinned(hash, from, decision),
    firstSeenAt: iso(from),
    lastSeenAt: iso(seenTo),
    identity: identityOf(hash) ?? null,
    capture: captures.get(hash) ?? null,
  }
}

/** An authorization that lists no hashes pins those the script had had by then. */
function isPinned(hash: string, firstSeen: number, decision: ScriptDecision | undefined): boolean {
  if (decision?.integrityMode !== 'pinned_hashes') return false
  return decision.pinnedHashes?.includes(hash) ?? firstSeen <= Date.parse(decision.decidedAt)
}
