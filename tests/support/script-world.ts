import type { KnownLibrary } from '../../fixtures/known-scripts.ts'
import type { CaptureRecord, DecisionRecord } from '../../fixtures/random-scripts.ts'
import type { ScanRecord } from '../../fixtures/scans.ts'
import type { StoredReport } from '../../schema/stored-report.ts'

/** All that was stored of one site. */
export interface ScriptWorld {
  readonly siteId: string
  readonly reports: readonly StoredReport[]
  /** Ids of its payment pages, in the order that `documents` counts them. */
  readonly paymentPages: readonly string[]
  readonly scans: readonly ScanRecord[]
  readonly decisions: readonly DecisionRecord[]
  readonly captures: readonly CaptureRecord[]
  readonly libraries: ReadonlyMap<string, KnownLibrary>
  readonly catalog: string
  readonly checkedAt: string
  /** A script without a sighting since is listed only with a decision. */
  readonly seenSince?: number
  /** The plan has advisories. */
  readonly advised: boolean
}

export const iso = (time: number) => new Date(time).toISOString()
export const unique = <T>(values: readonly T[]): T[] => [...new Set(values)]
