/** One token of ClickHouse SQL; offsets are into the text that was read. Comments and whitespace make no tokens. */
export type Token = {
  kind: 'word' | 'quoted' | 'string' | 'number' | 'punctuation'
  start: number
  end: number
  text: string
}

const patterns: [Token['kind'] | 'skipped', RegExp][] = [
  ['skipped', /[\s\u00a0]+/y],
  ['skipped', /--[^\n]*/y],
  ['skipped', /#[ !][^\n]*/y],
  ['skipped', /\/\*[\s\S]*?(?:\*\/|$)/y],
  // A group repeated for each character would fill the stack on a long literal.
  ['string', /'[^'\\]*(?:(?:\\[\s\S]|'')[^'\\]*)*(?:'|$)/y],
  ['string', /\$(\w*)\$[\s\S]*?(?:\$\1\$|$)/y],
  ['quoted', /`[^`\\]*(?:(?:\\[\s\S]|``)[^`\\]*)*(?:`|$)/y],
  ['quoted', /"[^"\\]*(?:(?:\\[\s\S]|"")[^"\\]*)*(?:"|$)/y],
  ['word', /[A-Za-z_]\w*/y],
  ['number', /\d[\w.]*/y],
  ['punctuation', /[\s\S]/y],
]

/**
 * Reads tokens lazily. It decides where an INSERT's data begins and which FORMAT a query names; what a caller may do is
 * never decided on these tokens alone.
 */
export function* tokens(text: string): Generator<Token> {
  let at = 0
  while (at < text.length) {
    for (const [kind, pattern] of patterns) {
      pattern.lastIndex = at
      const match = pattern.exec(text)
      if (!match) continue
      const end = pattern.lastIndex
      if (kind !== 'skipped') yield { kind, start: at, end, text: match[0] }
      at = end
      break
    }
  }
}
