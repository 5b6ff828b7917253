/** Copies a slice, which would otherwise hold its whole line in memory. */
export function detachString(text: string): string {
  // latin1 takes one byte per character.
  const encoding = isAscii(text) ? 'latin1' : 'utf16le'
  return Buffer.from(text, encoding).toString(encoding)
}

const isAscii = (text: string) => Buffer.byteLength(text) === text.length
