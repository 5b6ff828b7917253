import type { Script } from '../../responses/script.ts'
import { byText } from '../by-text.ts'

/** The latest scan of a page that found a script. */
export interface ScanFinding {
  readonly scanId: string
  readonly pageId: string
  readonly scannedAt: string
  /** True if all the script's tags have it; null if the page's latest scan of Rule 58 has none. */
  readonly hasIntegrity: boolean | null
  /** The page's latest scan of Rule 58 that lists scripts lacks it. */
  readonly isGone: boolean
}

/** @param found one a page. */
export function scanPresence(found: readonly ScanFinding[]): Script['scanPresence'] {
  const latest = found.toSorted((a, b) => byText(a.scannedAt, b.scannedAt) || byText(a.scanId, b.scanId)).at(-1)
  if (!latest) return null
  const byPage = found.toSorted((a, b) => byText(a.pageId, b.pageId))
  const gone = byPage.filter(({ isGone }) => isGone)
  return {
    latestScan: { scanId: latest.scanId, pageId: latest.pageId, scannedAt: latest.scannedAt },
    foundOn: byPage.map(({ pageId }) => pageId),
    goneFrom: gone.map(({ pageId, scanId, scannedAt }) => ({ pageId, lastScanId: scanId, lastSeenAt: scannedAt })),
  }
}
