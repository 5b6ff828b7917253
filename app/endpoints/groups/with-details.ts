import { estimate } from '../../../queries/rules/weights.ts'

/** Assembles the items of grouped lists. */

interface Keyed {
  readonly key: bigint
}

/** Joins rows and their details by key; a row whose reports have expired meanwhile is dropped. */
export function withDetails<Row extends Keyed, Details extends Keyed, Item>(
  rows: readonly Row[],
  details: readonly Details[],
  toItem: (row: Row, details: Omit<Details, 'key'>) => Item,
): Item[] {
  const detailsOf = new Map(details.map(({ key, ...rest }) => [key, rest]))
  return rows.flatMap((row) => {
    const found = detailsOf.get(row.key)
    return found ? [toItem(row, found)] : []
  })
}

interface GroupTally {
  readonly reportCount: number
  readonly weight: bigint
  readonly firstSeen: string
  readonly lastSeen: string
}

export const groupCounts = ({ reportCount, weight, firstSeen, lastSeen }: GroupTally) => ({
  reportCount,
  estimatedReportCount: estimate({ reportCount, weight }),
  firstSeen,
  lastSeen,
})
