import { scriptEvent } from '../../pci.ts'
import type { PciReport } from '../../responses/pci-report.ts'

type Evidence = PciReport['evidence']

/** The evidence as a release with that format wrote it; the current format unchanged. */
export function evidenceInFormat(evidence: Evidence, format: number): object {
  if (format !== 1) return evidence
  const {
    destinations: _,
    scriptChanges: __,
    scanWeeks: ___,
    pages,
    versions,
    changes,
    decisions,
    deliveries,
    ...rest
  } = evidence
  return {
    ...rest,
    format,
    pages: pages.map(({ unavailable: _, inlineNotComparable: __, longestScanGapMs: ___, ...page }) => page),
    versions: versions.map(({ intervals: _, ...version }) => version),
    decisions: decisions.map(({ owner: _, reviewBy: __, ...decision }) => decision),
    changes: changes.map(({ acknowledgedAt: _, ...change }) => change),
    deliveries: deliveries
      .filter(({ eventType }) => eventType !== scriptEvent)
      .map(({ scanIds: _, acknowledgements: __, ...delivery }) => delivery),
  }
}
