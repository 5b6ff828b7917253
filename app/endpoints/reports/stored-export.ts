/** @module Exports in the order of storing: each continues where the previous ended, up to the watermark. */

import { countExport } from '../../../queries/reports/export-reports.ts'
import { findWatermark } from '../../../queries/reports/find-watermark.ts'
import { findStoredEnd, type StoredPosition, type StoredRange } from '../../../queries/reports/stored-order.ts'
import type { Read } from '../../../queries/sql/query.ts'
import { onlyRow } from '../../../queries/sql/rows.ts'
import { cursorText, integer, oneOf } from '../../../schema/params.ts'
import { Problem } from '../../../schema/problems.ts'
import type { ReportFilter } from '../../../schema/report-filter.ts'
import type { TimeRange } from '../../../schema/rules/time/time-range.ts'
import type { WindowPolicy } from '../../../schema/rules/time/window.ts'
import type { QueryParams } from '../../pipeline/request-context.ts'

const maxLimit = 1_000_000

export const storedParams = {
  order: oneOf(
    ['newest', 'stored'],
    'Order: newest first, or stored: in the order in which they were stored, starting at `from` or `after`; the window has no end',
  ).default('newest'),
  after: cursorText
    .optional()
    .meta({ description: 'With `order=stored`: `next` or `Next-Cursor` of the previous export, instead of `from`' }),
  limit: integer(1, maxLimit, 'With `order=stored`: maximum number of reports (default: all)').optional(),
}

/** Begins anywhere within retention. */
const anyStart: WindowPolicy = { defaultDays: 7, maxDays: Number.POSITIVE_INFINITY }

/** Throws bad_request for parameters that do not go together. */
export function storedWindow(query: QueryParams): WindowPolicy | undefined {
  if (query.order !== 'stored') {
    const name = ['after', 'limit'].find((parameter) => query[parameter] !== undefined)
    if (name !== undefined) throw new Problem('bad_request', `${name} requires order=stored`)
    return undefined
  }
  if (query.to) throw new Problem('bad_request', 'to cannot be combined with order=stored, which has no end; omit it')
  const start = (['from', 'last'] as const).find((parameter) => query[parameter] !== undefined)
  if (query.after !== undefined && start !== undefined) {
    throw new Problem('bad_request', `${start} cannot be combined with after; omit it`)
  }
  return anyStart
}

export interface StoredExport {
  readonly reportCount: number
  readonly range: StoredRange
}

interface StoredExportOptions {
  readonly read: Read
  readonly tenantId: string
  /** All reports within retention. */
  readonly window: TimeRange
  readonly filter: ReportFilter
  readonly after: StoredPosition
  readonly limit: number | undefined
}

/** Finds where an export ends, and counts its reports. An empty export ends where it begins. */
export async function findStoredExport(options: StoredExportOptions): Promise<StoredExport> {
  const { read, tenantId, window, filter, after, limit } = options
  const { watermark } = onlyRow(await read(findWatermark(tenantId)))
  const whole = { after, upTo: { storedAt: watermark, last: null } }
  const nothing = { reportCount: 0, range: { after, upTo: after } }
  if (watermark <= after.storedAt) return nothing
  if (limit === undefined) {
    const { reportCount } = onlyRow(await read(countExport(tenantId, window, filter, whole)))
    return reportCount === 0 ? nothing : { reportCount, range: whole }
  }
  const { reportCount, storedAt, ...last } = onlyRow(await read(findStoredEnd(tenantId, window, filter, whole, limit)))
  if (reportCount === 0) return nothing
  return { reportCount, range: reportCount < limit ? whole : { after, upTo: { storedAt, last } } }
}
