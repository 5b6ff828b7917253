/** Values of each directive, by its name in lower case. */
export type DirectiveValues = ReadonlyMap<string, readonly string[]>

const token = /[^\t\n\f\r ]+/g

/** Name and values of a directive, separated only by ASCII white space (Infra Standard, 4.6). */
export const tokensOf = (directive: string): readonly string[] => directive.match(token) ?? []

/** Chromium drops a directive with any other. */
const characters = /^[\t\n\f\r -~]*$/

/** Directives as written: repeats and names of any case included, empty ones dropped. */
export function writtenDirectives(policy: string) {
  return policy.split(';').flatMap((text) => {
    const [name, ...values] = tokensOf(text)
    return name === undefined ? [] : [{ name: name.toLowerCase(), values, isValid: characters.test(text) }]
  })
}

/** CSP3, 2.2.1: the first of a repeated directive counts; in Chromium also if it drops that first one. */
export function parsePolicy(policy: string): DirectiveValues {
  const directives = new Map<string, readonly string[] | undefined>()
  for (const { name, values, isValid } of writtenDirectives(policy)) {
    if (!directives.has(name)) directives.set(name, isValid ? values : undefined)
  }
  return new Map([...directives].flatMap(([name, values]) => (values ? [[name, values] as const] : [])))
}

export const serialisePolicy = (directives: DirectiveValues): string =>
  [...directives].map(([name, values]) => [name, ...values].join(' ')).join('; ')
