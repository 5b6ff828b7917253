/** Splits a URL's query into names and raw bytes: ClickHouse parameters may hold any bytes, not only UTF-8. */
export function urlParameters(search: string): [string, Buffer][] {
  return search
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const equals = pair.indexOf('=')
      const [name, value] = equals < 0 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)]
      return [percentDecoded(name).toString('utf8'), percentDecoded(value)]
    })
}

function percentDecoded(text: string): Buffer {
  if (!/[%+]/.test(text)) return Buffer.from(text, 'utf8')
  const parts = text.replaceAll('+', ' ').split(/((?:%[0-9A-Fa-f]{2})+)/)
  return Buffer.concat(
    parts.map((part, index) =>
      index % 2 === 1 ? Buffer.from(part.replaceAll('%', ''), 'hex') : Buffer.from(part, 'utf8'),
    ),
  )
}
