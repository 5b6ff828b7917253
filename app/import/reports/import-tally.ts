import { ownText } from '../normalise/detach-string.ts'

/** What became of a file. `reports` = stored + expired + skipped + the reports rejected one by one. */
export interface ImportResult {
  /** Lines that are not blank. */
  readonly posts: number
  /** Elements found in them. */
  readonly reports: number
  /** Of them, those that are in the store when the import ends. */
  readonly stored: number
  /** Of them, those that were received before retention reaches: nobody reads them, and the store drops them. */
  readonly expired: number
  /** Of them, those that are never stored, by the type they name; at most 50 names and `other`. */
  readonly skipped: Readonly<Record<string, number>>
  /** Lines and single reports that cannot be stored. */
  readonly rejected: number
}

/** Counts while a file is imported. */
export interface ImportTally {
  posts: number
  reports: number
  stored: number
  expired: number
  rejected: number
  skip(type: string): void
  result(): ImportResult
}

/** Types are untrusted text. */
const mostSkippedTypes = 50
const longestType = 64

export function createTally(): ImportTally {
  const skipped = new Map<string, number>()
  return {
    posts: 0,
    reports: 0,
    stored: 0,
    expired: 0,
    rejected: 0,
    skip(type) {
      const name = type.slice(0, longestType).replace(/[^ -~]/g, '?')
      const key = skipped.has(name) || skipped.size < mostSkippedTypes ? name : 'other'
      const before = skipped.get(key)
      // Only a key that is new is kept.
      skipped.set(before === undefined ? ownText(key) : key, (before ?? 0) + 1)
    },
    result() {
      const { posts, reports, stored, expired, rejected } = this
      return { posts, reports, stored, expired, skipped: Object.fromEntries([...skipped].sort()), rejected }
    },
  }
}
