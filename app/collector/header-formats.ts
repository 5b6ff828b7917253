/**
 * @module Response headers as web server configuration. Our headers have no quote, dollar sign or backslash in their
 * URLs.
 */

type Headers = readonly (readonly [name: string, value: string])[]

const quote = (value: string) => `"${value.replaceAll('"', '\\"')}"`

const lines = (toLine: (name: string, value: string) => string) => (headers: Headers) =>
  headers.map(([name, value]) => `${toLine(name, value)}\n`).join('')

const express = (headers: Headers) => `app.use((request, response, next) => {
  response.set(${JSON.stringify(Object.fromEntries(headers), undefined, 2).replaceAll('\n', '\n  ')})
  next()
})
`

const formats = {
  nginx: lines((name, value) => `add_header ${name} ${quote(value)} always;`),
  // A percent sign begins a variable.
  apache: lines((name, value) => `Header always set ${name} ${quote(value.replaceAll('%', '%%'))}`),
  caddy: lines((name, value) => `header ${name} ${quote(value)}`),
  express,
}

export type HeaderFormat = keyof typeof formats

export const headerFormats = Object.keys(formats) as HeaderFormat[]

/** @param headers a line each, as `siteAddress` makes them. */
export function formatHeaders(format: HeaderFormat, headers: readonly string[]): string {
  return formats[format](
    headers.map((line) => {
      const colon = line.indexOf(': ')
      return [line.slice(0, colon), line.slice(colon + 2)]
    }),
  )
}
