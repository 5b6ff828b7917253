/** Result of a query, in the same form for every system. */
export interface QueryResult {
  readonly rows: readonly { readonly key: string; readonly count: number }[]
  /** Of all groups, where the result has them beside a page. */
  readonly total?: number
  readonly groups?: number
}

/** Equal numbers on every system mean equal results. */
export interface ResultSummary {
  readonly sum: number
  readonly groups: number
  /** Row with the largest count; ties by key. */
  readonly top: string
}

export function summarize({ rows, total, groups }: QueryResult): ResultSummary {
  const sum = rows.reduce((all, { count }) => all + count, 0)
  const [top] = [...rows].sort((a, b) => b.count - a.count || (a.key < b.key ? -1 : 1))
  return { sum: total ?? sum, groups: groups ?? rows.length, top: top ? `${top.key}: ${top.count}` : '' }
}

export const keyOf = (values: readonly unknown[]): string => values.map((value) => String(value ?? '')).join('|')

/** Result of `BenchQuery.sql`; `volume` outranks `n` as the count, and whole numbers can be text. */
export function resultOfRows(rows: readonly Record<string, unknown>[]): QueryResult {
  const [first] = rows
  const keys = Object.keys(first ?? {}).filter((name) => name.startsWith('key'))
  return {
    rows: rows.map((row) => ({ key: keyOf(keys.map((name) => row[name])), count: Number(row.volume ?? row.n) })),
    ...(first?.total !== undefined && { total: Number(first.total), groups: Number(first.groups) }),
  }
}
