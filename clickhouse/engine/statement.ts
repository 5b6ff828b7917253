import { engineError } from './errors.ts'
import { type Token, tokens } from './lexer.ts'

/** An INSERT that brings its data along. */
export type InsertStatement = {
  kind: 'insert'
  /** Up to and with the table and its columns. */
  target: string
  /** A SETTINGS clause, or nothing. */
  settings: string
  format: string
  /** Where the data begin in the text. */
  dataAt: number
}

/** What an HTTP text is. `format` is the one a statement names, if it does. */
export type Statement = InsertStatement | { kind: 'statement'; firstWord: string; format: string | undefined }

/** Splits a text. Offsets count its characters, so a text read as latin1 gives offsets of bytes. */
export function readStatement(text: string): Statement {
  const reader = tokens(text)
  const first = next(reader)
  const firstWord = first?.text.toUpperCase() ?? ''
  if (firstWord !== 'INSERT') {
    // Most name none, and a search costs far less than the tokens of a long text.
    const format = /\bformat\b/i.test(text) ? lastFormat(reader) : undefined
    return { kind: 'statement', firstWord, format }
  }
  return readInsert(text, reader) ?? { kind: 'statement', firstWord, format: undefined }
}

/** Undefined for an INSERT that selects; throws code 48 for one that would read a file of this machine. */
function readInsert(text: string, reader: Generator<Token>): InsertStatement | undefined {
  let depth = 0
  let settingsAt: number | undefined
  let before = 'INSERT'
  for (let token = next(reader); token; token = next(reader)) {
    const names = before === 'INTO' || before === 'TABLE' || before === '.'
    before = token.text.toUpperCase()
    if (before === '(') depth++
    if (before === ')') depth--
    if (depth !== 0 || token.kind !== 'word' || names) continue
    if (before === 'SELECT' || before === 'WITH') return undefined
    if (before === 'INFILE') throw engineError('notImplemented', 'INSERT FROM INFILE is not allowed')
    if (before === 'SETTINGS') settingsAt ??= token.start
    if (before !== 'VALUES' && before !== 'FORMAT') continue
    const format = before === 'VALUES' ? token : next(reader)
    if (format?.kind !== 'word') return undefined
    const targetEnd = settingsAt ?? token.start
    return {
      kind: 'insert',
      target: text.slice(0, targetEnd),
      settings: text.slice(targetEnd, token.start),
      format: format.text,
      dataAt: format.end + (/^[ \t]*\r?\n?/.exec(text.slice(format.end, format.end + 4096))?.[0].length ?? 0),
    }
  }
  return undefined
}

/** The name behind the last FORMAT that ends the statement or stands before its settings. */
function lastFormat(reader: Generator<Token>): string | undefined {
  let format: string | undefined
  let name: string | undefined
  let afterKeyword = false
  for (const token of reader) {
    if (name !== undefined && (token.text === ';' || token.text.toUpperCase() === 'SETTINGS')) format = name
    name = afterKeyword && token.kind === 'word' ? token.text : undefined
    afterKeyword = token.kind === 'word' && token.text.toUpperCase() === 'FORMAT'
  }
  return name ?? format
}

function next(reader: Generator<Token>): Token | undefined {
  const step = reader.next()
  return step.done ? undefined : step.value
}
