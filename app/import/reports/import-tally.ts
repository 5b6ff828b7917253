import { detachString } from '../normalise/detach-string.ts'

/** Counts of an import; `reports` = stored + expired + skipped + reports rejected one by one. */

export interface ImportResult {
  /** Lines that are not blank. */
  readonly posts: number
  readonly reports: number
  /** Reports in ClickHouse when the import ends. */
  readonly stored: number
  /** Reports received before retention begins. */
  readonly expired: number
  /** Reports that are never stored, by type; at most 50 names and `other`. */
  readonly skipped: Readonly<Record<string, number>>
  /** Lines and single reports. */
  readonly rejected: number
}

export type ImportTally = ReturnType<typeof createTally>

/** Types are untrusted text. */
const maxSkippedTypes = 50
const maxTypeLength = 64

export function createTally() {
  const skipped = new Map<string, number>()
  return {
    posts: 0,
    reports: 0,
    stored: 0,
    expired: 0,
    rejected: 0,
    skip(type: string): void {
      const name = type.slice(0, maxTypeLength).replace(/[^ -~]/g, '?')
      const key = skipped.has(name) || skipped.size < maxSkippedTypes ? name : 'other'
      const before = skipped.get(key)
      skipped.set(before === undefined ? detachString(key) : key, (before ?? 0) + 1)
    },
    result(): ImportResult {
      const { posts, reports, stored, expired, rejected } = this
      return { posts, reports, stored, expired, skipped: Object.fromEntries([...skipped].sort()), rejected }
    },
  }
}
