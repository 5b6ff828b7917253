import { isLineError, isObject, parseLine } from './line-error.ts'

/** Lines of a rejected file: each can be imported as it is, and holds only the rejected part of its line. */

/** Field of a rejected line with its number and reason, which every import ignores. */
export const rejectedField = 'rejected'

export interface Rejection {
  /** 1-based number in the imported file. */
  readonly line: number
  readonly reason: string
  /** Empty for a line too long to read. */
  readonly content: Readonly<Record<string, unknown>>
}

/** Fields of a line; text that is no JSON becomes a body that is rejected again. */
export function parseContent(text: string): Rejection['content'] {
  const json = parseLine(text)
  if (isLineError(json)) return { body: text }
  return isObject(json) ? json : { body: json }
}

export function toRejectedLine({ line, reason, content }: Rejection): string {
  try {
    return JSON.stringify({ ...content, [rejectedField]: { line, reason } })
  } catch {
    // JSON.stringify recurses, JSON.parse does not.
    return JSON.stringify({ [rejectedField]: { line, reason: `${reason}; nested too deeply to be written again` } })
  }
}
