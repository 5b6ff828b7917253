import type { z } from 'zod'
import type { Span } from '../../queries/rules/coverage.ts'
import { encodeCursor } from './cursor.ts'

/** How an operation pages. */
export interface PagePolicy<Position> {
  /** The sort key of an item, as its cursor carries it. */
  readonly position: z.ZodType<Position>
  readonly defaultLimit: number
  readonly maxLimit: number
  /** Items beyond this many are never answered (contract, Limits). */
  readonly maxDepth: number
}

/** A list's default limits (decisions, Lists), capped at the first 10,000 items. */
export const listPage = { defaultLimit: 50, maxLimit: 200, maxDepth: 10_000 } as const

/** The same limits for a list that can be paged to its end. */
export const wholeListPage = { ...listPage, maxDepth: Number.MAX_SAFE_INTEGER } as const

/** The page a request asks for. */
export interface Page<Position> {
  /** Where the page before ended; undefined on the first. */
  readonly after: Position | undefined
  /** Rows to read: one more than the page holds, which tells whether another page follows. */
  readonly rows: number
  /** The page's items and the way to the next. */
  cut<Item>(rows: readonly Item[], positionOf: (item: Item) => Position): { data: Item[]; nextCursor: string | null }
}

/**
 * @param limit as asked, already within its bounds.
 * @param depth items on earlier pages.
 */
export function pageOf<Position>(
  policy: PagePolicy<Position>,
  limit: number,
  window: Span | null,
  bound: string,
  before: { readonly depth: number; readonly position: Position } | undefined,
): Page<Position> {
  const depth = before?.depth ?? 0
  const size = Math.min(limit, policy.maxDepth - depth)
  return {
    after: before?.position,
    rows: size + 1,
    cut(rows, positionOf) {
      const data = rows.slice(0, size)
      const last = data.at(-1)
      const reached = depth + data.length
      const more = last !== undefined && rows.length > size && reached < policy.maxDepth
      const nextCursor = more ? encodeCursor(bound, { window, depth: reached, position: positionOf(last) }) : null
      return { data, nextCursor }
    },
  }
}
