// @ts-check
/** @module Events of a script, by time. */

/** @typedef {{ time: string, kind: 'seen' | 'version' | 'decision' | 'unprotected' | 'gone', what: any }} ScriptEvent */

/** @param {any} script body of `…/scripts/{scriptId}` @returns {ScriptEvent[]} newest first */
export function eventsOf({ firstSeenAt, lastSeenAt, hashes, decisions, coverage, scanPresence }) {
  /** @type {ScriptEvent[]} */
  const events = [
    ...hashes.map((version) => ({ time: version.firstSeenAt, kind: 'version', what: version })),
    ...decisions.map((decision) => ({ time: decision.decidedAt, kind: 'decision', what: decision })),
    ...(scanPresence?.goneFrom ?? []).map((page) => ({ time: page.lastSeenAt, kind: 'gone', what: page })),
    ...(coverage.lastUnprotectedAt ? [{ time: coverage.lastUnprotectedAt, kind: 'unprotected', what: coverage }] : []),
    ...(firstSeenAt ? [{ time: firstSeenAt, kind: 'seen', what: 'first' }] : []),
    ...(lastSeenAt && lastSeenAt !== firstSeenAt ? [{ time: lastSeenAt, kind: 'seen', what: 'last' }] : []),
  ]
  return events.sort((a, b) => Date.parse(b.time) - Date.parse(a.time))
}
