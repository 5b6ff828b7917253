/** The same text in memory of its own: a slice of a long text, kept in a cache, would keep the whole of it. */
export function ownText(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le')
}
