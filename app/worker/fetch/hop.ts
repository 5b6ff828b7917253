/** One request of a redirect chain and its response. */
export interface Hop {
  readonly url: URL
  readonly statusCode: number
  /** Lower-case names; repeated lines are separate. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** Header Origin of the request; null without one. */
  readonly originSent: string | null
}

export const linesOf = ({ headers }: Hop, name: string): string[] =>
  headers.filter((line) => line[0] === name).map(([, value]) => value)

/** Joins lines like Fetch; null without the header. */
export function joinedHeader(hop: Hop, name: string, separator = ', '): string | null {
  const lines = linesOf(hop, name)
  return lines.length === 0 ? null : lines.join(separator)
}
