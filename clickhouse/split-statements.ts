import { tokens } from './engine/lexer.ts'

/** The statements of a SQL text, without what stands between them. Semicolons in strings and comments do not part. */
export function splitStatements(text: string): string[] {
  const statements: string[] = []
  let start: number | undefined
  let end = 0
  const finish = () => {
    if (start !== undefined) statements.push(text.slice(start, end))
    start = undefined
  }
  for (const token of tokens(text)) {
    if (token.kind === 'punctuation' && token.text === ';') {
      finish()
      continue
    }
    start ??= token.start
    end = token.end
  }
  finish()
  return statements
}
