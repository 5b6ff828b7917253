interface Keyed {
  readonly key: bigint
}

/** Makes each row an item with the details found for its key; a row whose reports have expired meanwhile is left out. */
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
