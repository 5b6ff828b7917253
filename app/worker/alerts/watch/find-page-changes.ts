import type { Database } from '../../../../queries/clickhouse/database.ts'
import { listPageLabels, type PageLabel, scannedPageIds } from '../../../../queries/pages/monitored-pages.ts'
import { listFailingScans, listScanEvidence } from '../../../../queries/scans/scan-evidence.ts'
import { readScans } from '../../../../queries/scans/scans.ts'
import { toReader } from '../../../../queries/sql/query.ts'
import { failingEvent } from '../../../../schema/alert-events.ts'
import { changeEvent, gradeEvent } from '../../../../schema/pci.ts'
import type { ListedScan, ScanChanges } from '../../../../schema/responses/scan.ts'
import { headerDifferences } from '../../../../schema/rules/scans/header-differences.ts'
import { truncate } from '../../../import/normalise/truncate.ts'
import { namedInMessage } from '../alert-message.ts'
import type { Change, Watched } from './change.ts'

/** Failed scans after which a page counts as failing. */
const failuresInARow = 3

/** UTF-16 units of a header's value in a message. */
const maxValueLength = 1_000

/** Scans since then with changed headers, a lower grade, or the third failure in a row. */
export async function findPageChanges(
  { read }: Pick<Database, 'read'>,
  tenantId: string,
  { since }: Watched,
): Promise<Change[]> {
  const pages = scannedPageIds(tenantId, since)
  const refs = await Promise.all([
    read(listScanEvidence(tenantId, pages, since)),
    read(listFailingScans(tenantId, pages, { since, inARow: failuresInARow })),
  ])
  const found = refs.flat()
  if (found.length === 0) return []
  const [scans, labels] = await Promise.all([
    readScans(toReader(read).readAll, tenantId, found),
    read(listPageLabels(tenantId, since)),
  ])
  const pageOf = new Map(labels.map((page) => [page.id, page]))
  return scans.flatMap((scan) => {
    const page = pageOf.get(scan.pageId)
    return page ? changesOf(scan, page) : []
  })
}

function changesOf(scan: ListedScan, { id, siteId, label }: PageLabel): Change[] {
  const { headers, gradeDroppedFrom } = scan.changes
  const own = { kind: 'page', siteId, subject: scan.id, occurredAt: scan.scannedAt } as const
  const data = {
    pageId: id,
    pageLabel: label,
    scanId: scan.id,
    path: `/v1/sites/${siteId}/pages/${id}/scans/${scan.id}`,
  }
  const changes: Change[] = []
  if (headers.length > 0) {
    const names = headers.map(({ header, change }) => `${header} ${change}`).join(', ')
    const shortened = headers.map((one) => ({
      ...one,
      before: one.before && shorten(one.before),
      after: one.after && shorten(one.after),
      ...(one.change === 'changed' && { differences: firstDifferences(one) }),
    }))
    const summary = `${label}: ${names}`
    changes.push({ eventType: changeEvent, ...own, data: { ...data, summary, headers: shortened } })
  }
  if (gradeDroppedFrom !== null) {
    const summary = `${label}: grade ${gradeDroppedFrom} dropped to ${scan.grade}`
    changes.push({ eventType: gradeEvent, ...own, data: { ...data, summary } })
  }
  if (scan.status === 'failed') {
    const summary = `${label}: ${failuresInARow} scans in a row failed, the last with ${scan.failureReason}`
    changes.push({ eventType: failingEvent, ...own, data: { ...data, summary, failureMessage: scan.failureMessage } })
  }
  return changes
}

function firstDifferences(change: ScanChanges['headers'][number]): string[] {
  const lines = headerDifferences(change)
  const rest = lines.length > namedInMessage ? [`and ${lines.length - namedInMessage} more`] : []
  return [...lines.slice(0, namedInMessage).map(shorten), ...rest]
}

const shorten = (value: string) => (value.length <= maxValueLength ? value : `${truncate(value, maxValueLength)}…`)
