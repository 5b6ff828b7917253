/** Parameters of a request; an array repeats its parameter, undefined omits it. */
export const queryText = (params: Readonly<Record<string, string | number | readonly string[] | undefined>>) =>
  new URLSearchParams(
    Object.entries(params).flatMap(([name, given]) =>
      [given ?? []].flat().map((value): [string, string] => [name, String(value)]),
    ),
  ).toString()
