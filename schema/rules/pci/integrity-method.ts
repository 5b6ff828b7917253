/** @module How the integrity of a payment page's script is assured (Rule 88). */

import { dayMs } from '../../durations.ts'
import type { IntegrityMethod } from '../../pci.ts'
import type { Script } from '../../responses/script.ts'

const weekMs = 7 * dayMs

/** Weeks in which scans must have found an authorized hash. */
export const scannedWeeks = 5

export interface ScannedScript {
  /** Versions that the current authorization pins. */
  readonly pinnedHashes: readonly string[]
  /** Milliseconds since the Unix epoch, like all times here. */
  readonly authorizedAt: number
  readonly pages: readonly {
    readonly addedAt: number
    /** Hashes that scans found on the page, with the week: 0 for the last seven days. */
    readonly found: readonly (readonly [week: number, hash: string])[]
  }[]
}

/**
 * True if scans found an authorized hash on each page in each of the last five weeks. Only whole weeks since the
 * authorization and the page count, at least the last one.
 */
export function isScannedWeekly({ pinnedHashes, authorizedAt, pages }: ScannedScript, now: number): boolean {
  const pinned = new Set(pinnedHashes)
  return (
    pages.length > 0 &&
    pages.every(({ addedAt, found }) => {
      const age = now - Math.max(authorizedAt, addedAt)
      const weeks = Math.max(1, Math.min(scannedWeeks, Math.floor(age / weekMs)))
      const foundIn = new Set(found.filter(([, hash]) => pinned.has(hash)).map(([week]) => week))
      return Array.from({ length: weeks }, (_, week) => week).every((week) => foundIn.has(week))
    })
  )
}

interface Integrity extends Pick<Script['coverage'], 'state'> {
  /** The tags in the latest scan of each page have integrity metadata. */
  readonly hasIntegrity: boolean
  readonly isScanned: boolean
}

export function integrityMethod({ state, hasIntegrity, isScanned }: Integrity): IntegrityMethod {
  if (state !== 'unprotected' && hasIntegrity) return 'SRI'
  if (state === 'protected') return 'Integrity-Policy'
  return isScanned ? 'scan' : 'none'
}
