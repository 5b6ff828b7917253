/** The same text in memory of its own: a slice of a long text, kept in a cache, would keep the whole of it. */
export function detachString(text: string): string {
  // A text of one byte a character stays one, and takes half the memory.
  const encoding = isAscii(text) ? 'latin1' : 'utf16le'
  return Buffer.from(text, encoding).toString(encoding)
}

const isAscii = (text: string) => Buffer.byteLength(text) === text.length
