/** @module Condition on stored reports of any type, by the filters of the API. */

import { reportColumn } from '../../queries/rollups/columns.ts'
import { equals, matches } from '../../queries/sql/matches.ts'
import { at, bool, join, type Sql, sql, text, texts, uint64, uuid } from '../../queries/sql/sql.ts'
import { type StoredReportQuery, toStoredReportFilter } from '../../schema/report-filter.ts'

export interface Selection {
  readonly from: Date | undefined
  readonly to: Date
  /** Parameters of the API. */
  readonly query: StoredReportQuery
  /** Part of documentUrl with its query, which no filter of the API has. */
  readonly partOfDocumentUrl: string | undefined
}

/** Throws bad_request for a dimension that the type lacks, or that no type has together with the others. */
export function selectReports(tenantId: string, { from, to, query, partOfDocumentUrl }: Selection): Sql {
  const { types, terms, noise, issueKey } = toStoredReportFilter(query)
  return join(
    [
      sql`tenant_id = ${uuid(tenantId)}`,
      sql`report_type IN ${texts(types)}`,
      ...(from ? [sql`received_at >= ${at(from)}`] : []),
      sql`received_at < ${at(to)}`,
      ...terms.map((term) => matches(reportColumn(term.dimension), term)),
      ...equals('noise', bool, noise),
      ...equals('issue_key', uint64, issueKey),
      ...(partOfDocumentUrl === undefined ? [] : [sql`position(document_url, ${text(partOfDocumentUrl)}) > 0`]),
    ],
    ' AND ',
  )
}
