import type { z } from 'zod'
import type { TimeRange } from '../../schema/rules/time/time-range.ts'
import { type CursorState, encodeCursor } from './cursor.ts'

export interface SortKey<Item, Position> {
  readonly schema: z.ZodType<Position>
  readonly from: (item: Item) => Position
  /**
   * Milliseconds since the Unix epoch, if all items have this time and the latest come first: a narrower window
   * continues the list without repeating an item.
   */
  readonly timeOf?: (item: Item) => number
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
  /** End of the previous page; undefined on the first. */
  readonly after: Position | undefined
  /** Rows to read: one more than the page holds, which shows whether another page follows. */
  readonly rows: number
  cut<Row extends Item>(rows: readonly Row[]): Cut<Row>
  /** For a list that was read completely, in any order. */
  sortAndCut<Row extends Item>(rows: readonly Row[], compare: (a: Position, b: Position) => number): Cut<Row>
}

interface Cut<Row> extends WithNextPage {
  readonly data: Row[]
  /** More follow than can be paged through. */
  readonly truncated: boolean
  readonly nextCursor: string | null
}

export interface NextPage {
  readonly cursor: string
  /** The narrower window of a list that has reached its greatest depth. */
  readonly window?: TimeRange
}

/** For the Link header; not a member of the body. */
export interface WithNextPage {
  readonly next: NextPage | undefined
}

interface PageRequest<Position> {
  readonly limit: number
  readonly window: TimeRange | null
  /** `from` and `to` are parameters. */
  readonly isWindowRequested: boolean
  readonly fingerprint: string
  readonly cursor: Pick<CursorState<Position>, 'depth' | 'position'> | undefined
}

export function createPage<Item, Position>(
  { position, maxDepth }: PagePolicy<Item, Position>,
  { limit, window, isWindowRequested, fingerprint, cursor }: PageRequest<Position>,
): Page<Item, Position> {
  const depth = cursor?.depth ?? 0
  const size = Math.min(limit, maxDepth - depth)

  function cut<Row extends Item>(rows: readonly Row[]): Cut<Row> {
    const data = rows.slice(0, size)
    const last = rows.length > size ? data.at(-1) : undefined
    const reached = depth + data.length
    const truncated = last !== undefined && reached >= maxDepth
    const next = last && (truncated ? narrower(last) : { cursor: cursorAfter(last, window, reached) })
    return { data, truncated, nextCursor: truncated ? null : (next?.cursor ?? null), next }
  }

  const cursorAfter = (last: Item, window: TimeRange | null, depth: number) =>
    encodeCursor(fingerprint, { window, depth, position: position.from(last) })

  /** A separate query, whose first item is the last item of this page; its cursor skips it. */
  function narrower(last: Item): NextPage | undefined {
    if (!position.timeOf || !window || !isWindowRequested) return undefined
    const rest = { from: window.from, to: Math.min(window.to, position.timeOf(last) + 1) }
    return { cursor: cursorAfter(last, rest, 1), window: rest }
  }

  return {
    after: cursor?.position,
    rows: size + 1,
    cut,
    sortAndCut(rows, compare) {
      const located = rows.map((row) => ({ row, at: position.from(row) }))
      const rest = cursor ? located.filter(({ at }) => compare(at, cursor.position) > 0) : located
      return cut(rest.sort((a, b) => compare(a.at, b.at)).map(({ row }) => row))
    },
  }
}
