import type { Database } from '../../../../queries/clickhouse/database.ts'
import { listPageLabels, type PageLabel, scannedPageIds } from '../../../../queries/pages/monitored-pages.ts'
import { listFailingScans, listRecoveredScans, listScanEvidence } from '../../../../queries/scans/scan-evidence.ts'
import type { ScanRef } from '../../../../queries/scans/scan-refs.ts'
import { readScans } from '../../../../queries/scans/scans.ts'
import { toReader } from '../../../../queries/sql/query.ts'
import { endSuffix, failingEvent } from '../../../../schema/alert-events.ts'
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

/** Scans since then with changed headers, a lower grade, the third failure in a row, or the end of such failures. */
export async function findPageChanges(
  { read }: Pick<Database, 'read'>,
  tenantId: string,
  { since }: Watched,
): Promise<Change[]> {
  const pages = scannedPageIds(tenantId, since)
  const [evidence, failing, recovered] = await Promise.all([
    read(listScanEvidence(tenantId, pages, since)),
    read(listFailingScans(tenantId, pages, { since, inARow: failuresInARow })),
    read(listRecoveredScans(tenantId, pages, { since, inARow: failuresInARow })),
  ])
  const found = [...new Map([...evidence, ...failing, ...recovered].map((ref) => [ref.id, ref])).values()]
  if (found.length === 0) return []
  const [scans, labels] = await Promise.all([
    readScans(toReader(read).readAll, tenantId, found),
    read(listPageLabels(tenantId, since)),
  ])
  const failureOf = await readFailures(read, tenantId, recovered)
  const pageOf = new Map(labels.map((page) => [page.id, page]))
  return scans.flatMap((scan) => {
    const page = pageOf.get(scan.pageId)
    return page ? changesOf(scan, page, failureOf.get(scan.id)) : []
  })
}

/** The alerted failure that each of the complete scans ends. */
async function readFailures(read: Database['read'], tenantId: string, recovered: readonly ScanRef[]) {
  const pages = [...new Set(recovered.map(({ pageId }) => pageId))]
  const bounds = { since: new Date(0), inARow: failuresInARow }
  const failures = pages.length > 0 ? await read(listFailingScans(tenantId, pages, bounds)) : []
  const keyOf = ({ pageId, comparedAt }: ScanRef) => `${pageId} ${comparedAt}`
  const idOf = new Map(failures.map((ref) => [keyOf(ref), ref.id]))
  return new Map(recovered.map((ref) => [ref.id, idOf.get(keyOf(ref))]))
}

/** @param failureId the alerted failure that the scan ends. */
function changesOf(scan: ListedScan, { id, siteId, label }: PageLabel, failureId: string | undefined): Change[] {
  const { headers, gradeDroppedFrom } = scan.changes
  const own = { kind: 'page', siteId, subject: scan.id, occurredAt: scan.scannedAt } as const
  const data = {
    pageId: id,
    pageLabel: label,
    scanId: scan.id,
    path: `/v1/sites/${siteId}/pages/${id}/scans/${scan.id}`,
  }
  const grades = gradeDroppedFrom === null ? {} : { gradeDroppedFrom, grade: scan.grade }
  const dropped = gradeDroppedFrom === null ? [] : [`grade ${gradeDroppedFrom} dropped to ${scan.grade}`]
  const changes: Change[] = []
  if (headers.length > 0) {
    const names = headers.map(({ header, change }) => `${header} ${change}`).join(', ')
    const shortened = headers.map((one) => ({
      ...one,
      before: one.before && shorten(one.before),
      after: one.after && shorten(one.after),
      ...(one.change === 'changed' && { differences: firstDifferences(one) }),
    }))
    const summary = `${label}: ${[names, ...dropped].join('; ')}`
    changes.push({ eventType: changeEvent, ...own, data: { ...data, ...grades, summary, headers: shortened } })
  }
  for (const drop of dropped) {
    const told = { ...data, ...grades, summary: `${label}: ${drop}` }
    changes.push({
      eventType: gradeEvent,
      ...own,
      includedIn: headers.length > 0 ? changeEvent : undefined,
      data: told,
    })
  }
  if (scan.status === 'failed') {
    const summary = `${label}: ${failuresInARow} scans in a row failed, the last with ${scan.failureReason}`
    changes.push({ eventType: failingEvent, ...own, data: { ...data, summary, failureMessage: scan.failureMessage } })
  }
  if (failureId !== undefined) {
    const end = { subject: `${failureId}${endSuffix}`, follows: failureId }
    const summary = `${label}: scans work again, with grade ${scan.grade}`
    changes.push({ eventType: failingEvent, ...own, ...end, data: { ...data, summary, ended: true } })
  }
  return changes
}

function firstDifferences(change: ScanChanges['headers'][number]): string[] {
  const lines = headerDifferences(change)
  const rest = lines.length > namedInMessage ? [`and ${lines.length - namedInMessage} more`] : []
  return [...lines.slice(0, namedInMessage).map(shorten), ...rest]
}

const shorten = (value: string) => (value.length <= maxValueLength ? value : `${truncate(value, maxValueLength)}…`)
