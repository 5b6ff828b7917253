import type { Guard } from '../fetch/guard.ts'
import type { FetchedScript } from './fetch-script.ts'

export interface ScanSettings {
  readonly guard: Guard
  readonly userAgent: string
  readonly limits: ScanLimits
  /** Gets each script of a page. */
  readonly keepScript?: (script: FetchedScript) => Promise<void>
}

export type ScanLimits = Readonly<Record<keyof typeof scanLimits, number>>

export const scanLimits = {
  /** Limit to a response's headers, and between its chunks. */
  idleMs: 10_000,
  pageMs: 30_000,
  scriptMs: 10_000,
  allScriptsMs: 60_000,
  /** Markup of a page. */
  parseMs: 10_000,
  /** A list of scripts needs the whole page; other pages are only searched for the marks of a challenge. */
  paymentPageBytes: 2 * 1024 * 1024,
  otherPageBytes: 64 * 1024,
  scriptBytes: 5 * 1024 * 1024,
  /** Limit per page; each URL counts once. */
  scriptsFetched: 100,
  scriptsAtOnce: 6,
}
