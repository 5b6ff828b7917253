const escapes: Record<string, string> = { '\\': '\\\\', "'": "\\'", '\0': '\\0', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** A ClickHouse string literal with exactly these bytes; bytes that are not UTF-8 travel as \xHH. */
export function sqlString(value: string | Buffer): string {
  const text = typeof value === 'string' ? value : value.toString('utf8')
  if (typeof value !== 'string' && !Buffer.from(text, 'utf8').equals(value)) return `'${hexEscaped(value)}'`
  return `'${text.replace(/[\\'\0\n\r\t]/g, (character) => escapes[character] ?? character)}'`
}

/** A back-quoted identifier. */
export function sqlIdentifier(name: string): string {
  return `\`${name.replace(/[\\`]/g, (character) => `\\${character}`)}\``
}

function hexEscaped(bytes: Buffer): string {
  return bytes.toString('hex').replace(/../g, (pair) => `\\x${pair}`)
}
