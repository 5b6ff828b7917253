import { type Token, tokens } from './lexer.ts'

/** What an HTTP text is: a statement of its own, or the head of an INSERT whose data begin at `dataAt`. */
export type Statement =
  | { kind: 'statement'; firstWord: string; format: string | undefined }
  | { kind: 'insert'; format: string; headEnd: number; dataAt: number; infile: boolean }

/** Splits a text. Offsets count its characters, so a text read as latin1 gives offsets of bytes. */
export function readStatement(text: string): Statement {
  const reader = tokens(text)
  const first = next(reader)
  if (first?.text.toUpperCase() === 'INSERT') return readInsert(text, reader)
  const all = first ? [first, ...reader] : []
  return { kind: 'statement', firstWord: first?.text.toUpperCase() ?? '', format: lastFormat(all) }
}

function readInsert(text: string, reader: Generator<Token>): Statement {
  let depth = 0
  let selects = false
  let infile = false
  let usesInput = false
  for (let token = next(reader); token; token = next(reader)) {
    if (token.kind === 'punctuation') {
      if (token.text === '(') depth++
      else if (token.text === ')') depth--
      continue
    }
    if (token.kind !== 'word') continue
    const word = token.text.toUpperCase()
    if (word === 'INPUT') usesInput = true
    if (depth !== 0) continue
    if (word === 'INFILE') infile = true
    if (word === 'SELECT' || word === 'WITH') selects = true
    if (word === 'VALUES' && !selects) {
      return { kind: 'insert', format: 'Values', headEnd: token.end, dataAt: token.end, infile }
    }
    if (word === 'FORMAT' && (!selects || usesInput)) {
      const name = next(reader)
      if (name?.kind !== 'word') break
      const headEnd = settingsEnd(text, name.end)
      return { kind: 'insert', format: name.text, headEnd, dataAt: skipLineEnd(text, headEnd), infile }
    }
  }
  if (infile) return { kind: 'insert', format: '', headEnd: text.length, dataAt: text.length, infile }
  return { kind: 'statement', firstWord: 'INSERT', format: undefined }
}

/** The parser takes `SETTINGS a = 1, b = 2` after FORMAT too; the data begin behind it. */
function settingsEnd(text: string, from: number): number {
  const found = /^\s+SETTINGS\s/i.exec(text.slice(from, from + 200))
  if (!found) return from
  const reader = tokens(text.slice(from + found[0].length))
  let end = from
  for (;;) {
    const [name, equals, value] = [next(reader), next(reader), next(reader)]
    if (name?.kind !== 'word' || equals?.text !== '=' || !value) return end
    end = from + found[0].length + value.end
    const rest = tokens(text.slice(end, end + 200))
    if (next(rest)?.text !== ',') return end
    next(reader)
  }
}

function skipLineEnd(text: string, from: number): number {
  return from + (/^[ \t]*\r?\n?/.exec(text.slice(from, from + 4096))?.[0].length ?? 0)
}

function lastFormat(all: Token[]): string | undefined {
  for (let at = all.length - 2; at >= 0; at--) {
    const [keyword, name, after] = [all[at], all[at + 1], all[at + 2]]
    if (keyword?.kind !== 'word' || keyword.text.toUpperCase() !== 'FORMAT' || name?.kind !== 'word') continue
    if (!after || after.text === ';' || after.text.toUpperCase() === 'SETTINGS') return name.text
  }
  return undefined
}

function next(reader: Generator<Token>): Token | undefined {
  const step = reader.next()
  return step.done ? undefined : step.value
}
