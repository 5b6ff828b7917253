import type { Script } from '../../../schema/responses/script.ts'
import { byText } from '../by-text.ts'

export interface PageScan {
  readonly scanId: string
  readonly pageId: string
  readonly scannedAt: string
}

const byTime = (a: PageScan, b: PageScan) => byText(a.scannedAt, b.scannedAt) || byText(a.scanId, b.scanId)

/** @param found the latest scan of each page that found it. @param loadedLast a page's latest complete 2xx scan. */
export function scanPresence(
  found: readonly PageScan[],
  loadedLast: (pageId: string) => PageScan | undefined,
): Script['scanPresence'] {
  const latest = found.toSorted(byTime).at(-1)
  if (!latest) return null
  const byPage = found.toSorted((a, b) => byText(a.pageId, b.pageId))
  const gone = byPage.filter((last) => byTime(loadedLast(last.pageId) ?? last, last) > 0)
  return {
    latestScan: { scanId: latest.scanId, pageId: latest.pageId, scannedAt: latest.scannedAt },
    foundOn: byPage.map(({ pageId }) => pageId),
    goneFrom: gone.map(({ pageId, scanId, scannedAt }) => ({ pageId, lastScanId: scanId, lastSeenAt: scannedAt })),
  }
}
