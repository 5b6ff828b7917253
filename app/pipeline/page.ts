import type { z } from 'zod'
import type { TimeRange } from '../../queries/rollups/time-range.ts'
import { encodeCursor } from './cursor.ts'

export interface SortKey<Item, Position> {
  readonly schema: z.ZodType<Position>
  readonly of: (item: Item) => Position
}

export interface PagePolicy<Item = never, Position = unknown> {
  readonly position: SortKey<Item, Position>
  readonly defaultLimit: number
  readonly maxLimit: number
  /** Items that can be paged through in all. */
  readonly maxDepth: number
}

/** Rules 26 and 28. */
export const listPage = { defaultLimit: 50, maxLimit: 200, maxDepth: 10_000 } as const

export const wholeListPage = { ...listPage, maxDepth: Number.MAX_SAFE_INTEGER } as const

export interface Page<Item, Position> {
  /** Where the page before ended; undefined on the first. */
  readonly after: Position | undefined
  /** Rows to read: one more than the page holds, which shows whether another page follows. */
  readonly rows: number
  cut<Row extends Item>(rows: readonly Row[]): Cut<Row>
  /** For a list that was read whole, in any order. */
  sortAndCut<Row extends Item>(rows: readonly Row[], compare: (a: Position, b: Position) => number): Cut<Row>
}

interface Cut<Row> {
  readonly data: Row[]
  readonly nextCursor: string | null
}

export function createPage<Item, Position>(
  { position, maxDepth }: PagePolicy<Item, Position>,
  limit: number,
  window: TimeRange | null,
  bound: string,
  before: { readonly depth: number; readonly position: Position } | undefined,
): Page<Item, Position> {
  const depth = before?.depth ?? 0
  const size = Math.min(limit, maxDepth - depth)

  function cut<Row extends Item>(rows: readonly Row[]): Cut<Row> {
    const data = rows.slice(0, size)
    const last = data.at(-1)
    const reached = depth + data.length
    const more = last !== undefined && rows.length > size && reached < maxDepth
    const nextCursor = more ? encodeCursor(bound, { window, depth: reached, position: position.of(last) }) : null
    return { data, nextCursor }
  }

  return {
    after: before?.position,
    rows: size + 1,
    cut,
    sortAndCut(rows, compare) {
      const placed = rows.map((row) => ({ row, at: position.of(row) }))
      const rest = before ? placed.filter(({ at }) => compare(at, before.position) > 0) : placed
      return cut(rest.sort((a, b) => compare(a.at, b.at)).map(({ row }) => row))
    },
  }
}
