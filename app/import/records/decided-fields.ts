/** @module Who decided and when, the same in every type of decision. */

import { z } from 'zod'
import { toClickHouseTime } from '../../../queries/sql/sql.ts'
import { line, moment } from '../../../schema/record-fields.ts'

export const decidedFields = {
  decidedBy: z.strictObject({ name: line(200).nullable(), email: line(254) }),
  decidedAt: moment,
}

/** Immutable columns by field. */
export const decidedColumns = {
  'decidedBy.name': 'decided_name',
  'decidedBy.email': 'decided_email',
  decidedAt: 'decided_at',
} as const

interface Decided {
  readonly decidedBy: { readonly name: string | null; readonly email: string }
  readonly decidedAt: Date
}

export const toDecidedRow = ({ decidedBy, decidedAt }: Decided) => ({
  decided_name: decidedBy.name ?? '',
  decided_email: decidedBy.email,
  decided_at: toClickHouseTime(decidedAt),
})
