import { hash } from 'node:crypto'
import { z } from 'zod'
import { endOfTimes } from '../../schema/params.ts'
import { Problem } from '../../schema/problems.ts'
import type { TimeRange } from '../../schema/rules/time/time-range.ts'

/** Content of a cursor, unsigned because its queries carry the caller's tenant anyway (Rule 27). */
export interface CursorState<Position> {
  readonly window: TimeRange | null
  /** Items on earlier pages. */
  readonly depth: number
  readonly position: Position
}

const version = 1

/** Milliseconds since the Unix epoch. */
export const cursorTime = z.int().min(0).lt(endOfTimes)

/** Fingerprint of a cursor's operation, tenant and filters, without page size and window. */
export function cursorFingerprint(
  operation: string,
  tenantId: string,
  filters: Readonly<Record<string, unknown>>,
): string {
  const sorted = Object.entries(filters)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return hash('sha256', JSON.stringify([operation, tenantId, sorted]), 'base64url').slice(0, 16)
}

/** The cursor's text: URL-safe, at most 1,024 characters. */
export function encodeCursor<Position>(
  fingerprint: string,
  { window, depth, position }: CursorState<Position>,
): string {
  return encodeCursorText([version, fingerprint, window ? [window.from, window.to] : null, depth, position])
}

export const encodeCursorText = (payload: readonly unknown[]): string =>
  Buffer.from(JSON.stringify(payload)).toString('base64url')

/** Undefined for text that no cursor has. */
export function decodeCursorText(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString())
  } catch {
    return undefined
  }
}

/** The decoder throws bad_request for a cursor of another operation, tenant, filter or format. */
export function createCursorDecoder<Position>(
  position: z.ZodType<Position>,
  maxDepth: number,
): (text: string, fingerprint: string) => CursorState<Position> {
  const schema = z.tuple([
    z.literal(version),
    z.string(),
    z.tuple([cursorTime, cursorTime]).nullable(),
    z.int().gt(0).lt(maxDepth),
    position,
  ])
  return (text, fingerprint) => {
    const parsed = schema.safeParse(decodeCursorText(text))
    if (!parsed.success) {
      throw new Problem(
        'bad_request',
        'cursor is not a cursor of this operation; send the nextCursor of the previous page',
      )
    }
    const [, ownFingerprint, window, depth, at] = parsed.data
    if (ownFingerprint !== fingerprint) {
      throw new Problem('bad_request', 'cursor belongs to another query; repeat the filters of the previous page')
    }
    return { window: window && { from: window[0], to: window[1] }, depth, position: at as Position }
  }
}
