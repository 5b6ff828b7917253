/** @module Changes of a payment page's scripts, and the decisions that allow them (Rule 83). */

export type ScriptChangeKind = 'added' | 'changed' | 'removed' | 'returned' | 'rejected' | 'not_comparable'

interface Difference {
  /** `present`: unchanged since the scan before, and of a script that somebody rejected. */
  readonly change: 'added' | 'changed' | 'removed' | 'present' | 'not_comparable'
  readonly hash: string
  readonly scannedAt: string
  /** Time of the scan that this one is compared with. */
  readonly comparedAt: string
}

export interface ScriptDecided {
  readonly status: string
  readonly integrityMode: string
  /** Null: every hash that was seen before the decision. */
  readonly pinnedHashes: readonly string[] | null
  readonly decidedAt: string
}

/**
 * Undefined if the script is as the last scan that could read it found it.
 * @param before times of earlier scans with hashes, ascending.
 */
export function scriptChangeKind(
  { change, hash, scannedAt, comparedAt }: Difference,
  decision: ScriptDecided | undefined,
  before: readonly (readonly [time: number, hash: string])[],
): ScriptChangeKind | undefined {
  const isRejected = decision?.status === 'rejected' && decision.decidedAt <= scannedAt
  if (change === 'present') return isRejected && comparedAt < decision.decidedAt ? 'rejected' : undefined
  if (change === 'removed' || change === 'not_comparable') return change
  const read = before.filter(([, found]) => found !== '')
  const last = read.at(-1)?.[0]
  const isKnown = read.some(([time, found]) => time === last && found === hash)
  if (change === 'changed' && (last === undefined || isKnown)) return undefined
  if (isRejected) return 'rejected'
  return change === 'added' && before.length > 0 ? 'returned' : change
}

/** A pin without a list covers the versions that the script had until then. */
export function isAllowedScript(hash: string, firstSeen: string, decision: ScriptDecided | undefined): boolean {
  if (decision?.status !== 'authorized') return false
  if (decision.integrityMode !== 'pinned_hashes') return true
  return decision.pinnedHashes?.includes(hash) ?? (hash !== '' && firstSeen <= decision.decidedAt)
}
