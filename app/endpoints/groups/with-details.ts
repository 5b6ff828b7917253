interface Keyed {
  readonly key: bigint
}

/** Joins rows and their details by key; a row whose reports have expired in between is dropped. */
export function withDetails<Row extends Keyed, Details extends Keyed>(
  rows: readonly Row[],
  details: readonly Details[],
): (Row & Details)[] {
  const detailsOf = new Map(details.map((found) => [found.key, found]))
  return rows.flatMap((row) => {
    const found = detailsOf.get(row.key)
    return found ? [{ ...row, ...found }] : []
  })
}
