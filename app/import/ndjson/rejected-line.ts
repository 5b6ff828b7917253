import { isObject, isRefusal, parseLine } from './line-error.ts'

/** Lines of a rejected file: each can be imported as it is, and holds only what was not stored. */

/** The member of a rejected line with its place and reason, which every import ignores. */
export const rejectedMember = 'rejected'

/** What could not be stored of a line, and why. */
export interface Rejection {
  /** 1-based number in the imported file. */
  readonly line: number
  readonly reason: string
  /** The line's members; empty for a line too long to read. */
  readonly content: Readonly<Record<string, unknown>>
}

/** A line's text as the members of an object: a text that is no JSON becomes a body that is rejected again. */
export function contentOf(text: string): Rejection['content'] {
  const json = parseLine(text)
  if (isRefusal(json)) return { body: text }
  return isObject(json) ? json : { body: json }
}

/** The rejection as one line of JSON, without its line feed. */
export function toRejectedLine({ line, reason, content }: Rejection): string {
  try {
    return JSON.stringify({ ...content, [rejectedMember]: { line, reason } })
  } catch {
    // JSON.stringify recurses, JSON.parse does not.
    return JSON.stringify({ [rejectedMember]: { line, reason: `${reason}; nested too deeply to be written again` } })
  }
}
