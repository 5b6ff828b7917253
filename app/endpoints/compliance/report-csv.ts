/** @module Tables of a report as CSV (RFC 4180). */

import { formulaStarts } from '../../../schema/export-formats.ts'
import type { PciReport } from '../../../schema/responses/pci-report.ts'
import { deliveriesOf } from './report-deliveries.ts'

export const csvType = 'text/csv; charset=utf-8'

type Cell = string | number | boolean | null

/** A cell that a spreadsheet would read as a formula gets a leading apostrophe. */
function csvCell(value: Cell): string {
  const text = String(value ?? '')
  const safe = formulaStarts.includes(text.charAt(0)) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

const toCsv = (rows: readonly Readonly<Record<string, Cell>>[], columns: readonly string[]): string =>
  [columns, ...rows.map((row) => columns.map((column) => row[column] ?? null))]
    .map((cells) => `${cells.map(csvCell).join(',')}\r\n`)
    .join('')

const scriptColumns = [
  ...['url', 'status', 'integrityMode', 'justification', 'decidedByName', 'decidedByEmail', 'decidedAt', 'decisions'],
  ...['coverage', 'coverageDecidedBy', 'stillRunning', 'paymentPages', 'hash', 'hashFirstSeenAt', 'hashLastSeenAt'],
  ...['hashSources', 'hashPinned', 'inventoried', 'firstSeenAt', 'lastSeenAt', 'seenBy', 'owner', 'reviewBy', 'method'],
] as const

/** A row per version of a script; one row for a script that has no version or is not in the inventory. */
export function scriptsCsv({ evidence, observed }: PciReport): string {
  const rows = observed.scripts.flatMap((script) => {
    const own: Record<string, Cell> = {
      url: script.url,
      inventoried: true,
      firstSeenAt: script.firstSeenAt,
      lastSeenAt: script.lastSeenAt,
      status: script.status,
      integrityMode: script.integrityMode,
      justification: script.justification,
      owner: script.owner,
      method: script.method,
      reviewBy: script.reviewBy,
      decidedAt: script.decidedAt,
      decidedByName: script.decidedBy?.name ?? null,
      decidedByEmail: script.decidedBy?.email ?? null,
      decisions: evidence.decisions.filter(({ url }) => url === script.url).length,
      coverage: script.coverage.state,
      coverageDecidedBy: script.coverage.decidedBy,
      stillRunning: script.stillRunning,
      seenBy: script.seenBy.join('; '),
      paymentPages: script.paymentPages.map(({ label }) => label).join('; '),
    }
    if (script.hashes.length === 0) return [own]
    return script.hashes.map((version) => ({
      ...own,
      hash: version.hash,
      hashFirstSeenAt: version.firstSeenAt,
      hashLastSeenAt: version.lastSeenAt,
      hashSources: version.sources.join('; '),
      hashPinned: version.pinned,
    }))
  })
  const uninventoried = observed.uninventoried.map(({ url, lastAt }) => ({
    url,
    inventoried: false,
    coverage: 'unprotected',
    coverageDecidedBy: 'reports',
    lastSeenAt: lastAt,
  }))
  return toCsv([...rows, ...uninventoried], scriptColumns)
}

const changeColumns = [
  ...['scannedAt', 'page', 'scanId', 'header', 'change', 'before', 'after', 'gradeDroppedFrom', 'grade', 'alertIds'],
  ...['deliveries', 'acknowledgements'],
] as const

/** One row per changed header; one row if only the grade dropped. */
export function changesCsv({ evidence }: PciReport): string {
  const rows = evidence.changes.flatMap((change) => {
    const deliveries = deliveriesOf(change, evidence)
    const own = {
      scannedAt: change.scannedAt,
      page: change.pageLabel,
      scanId: change.scanId,
      gradeDroppedFrom: change.gradeDroppedFrom,
      grade: change.grade,
      alertIds: change.alertIds.join('; '),
      deliveries: deliveries
        .map(
          ({ outcome, destination, createdAt }) => `${outcome} to ${destination.name ?? destination.id} ${createdAt}`,
        )
        .join('; '),
      acknowledgements: deliveries
        .flatMap(({ acknowledgements }) => acknowledgements)
        .map(({ acknowledgedBy, acknowledgedAt, note }) => `${acknowledgedBy} ${acknowledgedAt}: ${note}`)
        .join('; '),
    }
    return change.headers.length === 0 ? [own] : change.headers.map((header) => ({ ...own, ...header }))
  })
  return toCsv(rows, changeColumns)
}
