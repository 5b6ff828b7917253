/** @module Events of a script, by time. */

export type ScriptEvent = { time: string; kind: 'seen' | 'version' | 'decision' | 'unprotected' | 'gone'; what: any }

/**
 * @param script body of `…/scripts/{scriptId}`
 * @returns newest first
 */
export function eventsOf({ firstSeenAt, lastSeenAt, hashes, decisions, coverage, scanPresence }: any): ScriptEvent[] {
  const events: ScriptEvent[] = [
    ...hashes.map((version: any) => ({ time: version.firstSeenAt, kind: 'version', what: version })),
    ...decisions.map((decision: any) => ({ time: decision.decidedAt, kind: 'decision', what: decision })),
    ...(scanPresence?.goneFrom ?? []).map((page: any) => ({ time: page.lastSeenAt, kind: 'gone', what: page })),
    ...(coverage.lastUnprotectedAt ? [{ time: coverage.lastUnprotectedAt, kind: 'unprotected', what: coverage }] : []),
    ...(firstSeenAt ? [{ time: firstSeenAt, kind: 'seen', what: 'first' }] : []),
    ...(lastSeenAt && lastSeenAt !== firstSeenAt ? [{ time: lastSeenAt, kind: 'seen', what: 'last' }] : []),
  ]
  return events.sort((a, b) => Date.parse(b.time) - Date.parse(a.time))
}
