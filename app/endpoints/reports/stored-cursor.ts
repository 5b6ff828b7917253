/** @module Cursors of exports in the order of storing. They fix no window and last as long as the reports after them. */

import { z } from 'zod'
import type { StoredPosition } from '../../../queries/reports/stored-order.ts'
import { Problem } from '../../../schema/problems.ts'
import { cursorFingerprint, cursorTime, decodeCursorText, encodeCursorText } from '../../pipeline/cursor.ts'

/** Request that a cursor is bound to. */
export interface CursorOwner {
  readonly tenantId: string
  readonly reportType: string
  readonly format: string
  readonly filters: Readonly<Record<string, unknown>>
}

const version = 1
const name = 'reports.export stored'

const last = z.tuple([cursorTime, z.guid()]).transform(([receivedAt, id]) => ({ receivedAt, id }))
const schema = z.tuple([z.literal(version), z.array(z.string()).length(4), cursorTime, last.nullable()])

const boundTo = ['another tenant', 'another reportType', 'another format', 'other filters']

const ownersOf = ({ tenantId, reportType, format, filters }: CursorOwner): string[] => [
  cursorFingerprint(name, tenantId, {}),
  reportType,
  format,
  cursorFingerprint(name, '', filters),
]

export function encodeStoredCursor(owner: CursorOwner, { storedAt, last }: StoredPosition): string {
  return encodeCursorText([version, ownersOf(owner), storedAt, last && [last.receivedAt, last.id]])
}

/** Throws bad_request that names what differs from the request of the cursor. */
export function decodeStoredCursor(owner: CursorOwner, text: string): StoredPosition {
  const parsed = schema.safeParse(decodeCursorText(text))
  if (!parsed.success) {
    throw new Problem(
      'bad_request',
      'after is not a cursor of this export; send the Next-Cursor of the previous export',
    )
  }
  const [, owners, storedAt, last] = parsed.data
  const requested = ownersOf(owner)
  const different = boundTo.filter((_, index) => owners[index] !== requested[index])
  if (different.length > 0) {
    throw new Problem(
      'bad_request',
      `after is a cursor of ${different.join(' and ')}; repeat those of the previous export`,
    )
  }
  return { storedAt, last }
}
