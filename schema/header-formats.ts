/** @module Response headers as configuration of web servers. */

export interface HeaderFormat {
  /** Lines before and after the headers. */
  readonly before: string
  readonly after: string
  readonly start: (name: string) => string
  readonly end: string
  /** Encodes a value, or each word of it. Characters that a server cannot escape are percent-encoded, as in URLs. */
  readonly encode: (value: string) => string
}

const escaped = (value: string, backslash: string) => value.replaceAll('\\', backslash).replaceAll('"', '\\"')

export const headerFormats = {
  // A variable has no escape.
  nginx: {
    before: '',
    start: (name) => `add_header ${name} "`,
    encode: (value) => escaped(value, '\\\\').replaceAll('$', '%24'),
    end: '" always;',
    after: '',
  },
  // The parser and mod_headers each read escapes; `%` begins a format and `${` a variable.
  apache: {
    before: '',
    start: (name) => `Header always set ${name} "`,
    encode: (value) => escaped(value, '\\\\\\\\').replaceAll('%', '%%').replaceAll('$', '%%24'),
    end: '"',
    after: '',
  },
  // A backslash has no escape, `{` begins a placeholder and `{$` a variable, also after a backslash.
  caddy: {
    before: '',
    start: (name) => `header ${name} "`,
    encode: (value) => escaped(value, '%5C').replaceAll('{', '\\{').replaceAll('{$', '{%24'),
    end: '"',
    after: '',
  },
  express: {
    before: 'app.use((request, response, next) => {\n',
    start: (name) => `  response.set('${name}', "`,
    encode: (value) => JSON.stringify(value).slice(1, -1),
    end: '")',
    after: '  next()\n})\n',
  },
  // `_headers` of Cloudflare Pages and Workers: a line of at most 2,000 characters without escapes.
  cloudflare: {
    before: '/*\n',
    start: (name) => `  ${name}: `,
    encode: (value) => value,
    end: '',
    after: '',
  },
} as const satisfies Readonly<Record<string, HeaderFormat>>

/** @param headers names with values. */
export function formatHeaders(
  { before, start, encode, end, after }: HeaderFormat,
  headers: readonly (readonly [name: string, value: string])[],
): string {
  return `${before}${headers.map(([name, value]) => `${start(name)}${encode(value)}${end}\n`).join('')}${after}`
}
