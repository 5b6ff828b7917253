import type { Bound, Sql } from './sql.ts'

/**
 * A statement with its values as literals, for people to read and run. The API never sends it: values travel
 * separately.
 */
export function withLiterals({ strings, values }: Sql): string {
  const text = strings.reduce((whole, string, index) => {
    const value = values[index - 1]
    return `${whole}${value ? literal(value) : ''}${string}`
  })
  return text.trim()
}

const quoted = (text: string) => `'${text.replace(/['\\]/g, '\\$&').replaceAll('\n', '\\n')}'`

function literal({ type, value }: Bound): string {
  if (typeof value !== 'string') return `CAST([${value.map(quoted).join(', ')}], ${quoted(type)})`
  if (type === 'String') return quoted(value)
  if (/^U?Int\d+$/.test(type)) return value
  return `CAST(${quoted(value)}, ${quoted(type)})`
}
