interface Keyed {
  readonly key: bigint
}

/** Each row as an item, with what a second look-up finds of its key; one whose reports went with retention in between is none. */
export function withDetails<Row extends Keyed, Details extends Keyed, Item>(
  rows: readonly Row[],
  details: readonly Details[],
  toItem: (row: Row, details: Details) => Item,
): Item[] {
  const detailsOf = new Map(details.map((one) => [one.key, one]))
  return rows.flatMap((row) => {
    const found = detailsOf.get(row.key)
    return found ? [toItem(row, found)] : []
  })
}
