/** What an answer says, whoever gave it: enough to tell two questions' answers apart. */
export interface Answer {
  readonly rows: readonly { readonly key: string; readonly count: number }[]
  /** Of all groups, where the answer tells it beside a page of them. */
  readonly total?: number
  readonly groups?: number
}

/** Numbers that three answers to one question share. */
export interface Canonical {
  readonly sum: number
  readonly groups: number
  /** The row with the largest count, the first key of equals. */
  readonly top: string
}

/** The numbers to compare. */
export function canonicalOf({ rows, total, groups }: Answer): Canonical {
  const sum = rows.reduce((all, { count }) => all + count, 0)
  const [top] = [...rows].sort((a, b) => b.count - a.count || (a.key < b.key ? -1 : 1))
  return { sum: total ?? sum, groups: groups ?? rows.length, top: top ? `${top.key}: ${top.count}` : '' }
}

/** Values as one key; what is missing is nothing. */
export const keyOf = (values: readonly unknown[]): string => values.map((value) => String(value ?? '')).join('|')

/** What the rows of a SQL answer say (`Question.sql`): `volume` stands for `n` where it is told. Whole numbers can be text. */
export function answerOfRows(rows: readonly Record<string, unknown>[]): Answer {
  const [first] = rows
  const keys = Object.keys(first ?? {}).filter((name) => name.startsWith('key'))
  return {
    rows: rows.map((row) => ({ key: keyOf(keys.map((name) => row[name])), count: Number(row.volume ?? row.n) })),
    ...(first?.total !== undefined && { total: Number(first.total), groups: Number(first.groups) }),
  }
}
