/** Values of each directive, by its name in lower case. */
export type DirectiveValues = ReadonlyMap<string, readonly string[]>

const token = /[^\t\n\f\r ]+/g

/** Name and values of a directive: ASCII white space alone separates them (Infra Standard, 4.6). */
export const tokensOf = (directive: string): readonly string[] => directive.match(token) ?? []

// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII ends at 0x7f
const ascii = /^[\u0000-\u007f]*$/

/** Directives as written: repeats and names of any case included, empty ones and those with other characters dropped. */
export function writtenDirectives(policy: string): { readonly name: string; readonly values: readonly string[] }[] {
  return policy.split(';').flatMap((text) => {
    const [name, ...values] = tokensOf(text)
    return name === undefined || !ascii.test(text) ? [] : [{ name: name.toLowerCase(), values }]
  })
}

/** CSP3, 2.2.1: the first of a repeated directive counts. */
export function parsePolicy(policy: string): DirectiveValues {
  const directives = new Map<string, readonly string[]>()
  for (const { name, values } of writtenDirectives(policy)) {
    if (!directives.has(name)) directives.set(name, values)
  }
  return directives
}

export const serialisePolicy = (directives: DirectiveValues): string =>
  [...directives].map(([name, values]) => [name, ...values].join(' ')).join('; ')
