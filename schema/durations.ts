/**
 * @module Durations in milliseconds: how long a process may use stale data, and how long others wait until no process
 * does. tests/unit/schema/durations.test.ts checks the inequalities between them.
 */

/** A day is a day of UTC, which has no other length. */
export const minuteMs = 60_000
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

/** Time after which Linux has written unsynced data to the disk: 35 s by default, and the write itself. */
export const unsyncedMs = 2 * minuteMs

/** Lifetime of a version of a tenant's data, from before its lookup. */
export const importVersionTtlMs = 1_000

/** Lifetime of a key and of a key's site in the API, from before its lookup. */
export const keyTtlMs = 4_000

/** Lifetime of a site and of a tenant's shard in the collector, from the end of its lookup. */
export const siteTtlMs = 5_000

/** Lifetime in the collector of the result for an unknown token. */
export const retiredTokenTtlMs = 60_000

/** Timeout of a lookup that every request waits for, so that an outage is a 503 within 2 s. */
export const lookupTimeoutMs = 1_800

/** Waits of a report for its insert block; `app/import/block-pace.ts` chooses between the first two. */
export const gatherDurations = {
  /** Wait of a post's report, unless a minute of pauses is owed: a page sends its reports within it. */
  postMs: 400,
  /** Wait of a followed line, unless a minute of pauses is owed. */
  lineMs: 1_000,
  /** Longest wait. */
  longestMs: 5_000,
} as const

/**
 * First attempt to store a block, longer than an insert takes at a tenth of the processor; later attempts have more
 * time.
 */
export const blockAttemptMs = 30_000

/**
 * Wait of an insert for the other replicas of its shard. It ends before `blockAttemptMs`. A replica that replaced
 * another never counts for an older part, so the block is then completed without a quorum.
 */
export const quorumTimeoutMs = 8_000

/** Wait until the replicas of a shard have the same parts. */
export const inStepTimeoutMs = 5_000

/** Wait after which every block of a site or shard that the collector knew before is in the import log. */
export const forgottenMs = 35_000

/** Time after which a report that waits in a collector's log is in the table of logs: `report-oldest.ts`, with 5 s to spare. */
export const reportedBehindMs = 20_000

/** Wait for the end of a block that is in the import log, unless its collector is down. */
export const acknowledgedMs = 60_000

/** Longest insert of reports; ClickHouse then ends it. The collector's longest attempt is as long. */
export const longestInsertMs = 5 * minuteMs

/** Age of a `started` step after which another is logged before an insert. */
export const startedStepMs = 4 * minuteMs

/**
 * Time for which a `started` step without a `done` holds back exports in the order of storing: no insert that began
 * within `startedStepMs` of it lasts longer.
 */
export const storingHoldMs = 10 * minuteMs

/** Time for which the `started` step of a move does so, whose late reports are copied with their time of storing. */
export const moveHoldMs = 60 * minuteMs

/** Largest difference between the clocks of a cluster's servers, or by which a clock is set back. */
export const clockToleranceMs = 2_000
