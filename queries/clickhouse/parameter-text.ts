const escapes: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r', "'": "\\'", '\\': '\\\\' }

const escaped = (value: string) => value.replace(/[\t\n\r'\\]/g, (character) => escapes[character] as string)

/** A `param_NAME` value of the HTTP interface: escaped as in TSV, an array's strings in quotes. */
export function parameterText(value: string | readonly string[]): string {
  return typeof value === 'string' ? escaped(value) : `[${value.map((item) => `'${escaped(item)}'`).join(',')}]`
}
