/** @module Lines of a rejected file: each contains only the rejected part of its line and can be imported unchanged. */

import { truncate } from '../normalise/truncate.ts'
import { isLineError, isObject, parseLine } from './line-error.ts'

/** Field of a rejected line with its number and reason, which every import ignores. */
export const rejectedField = 'rejected'

export interface Rejection {
  /** 1-based number in the imported file. */
  readonly line: number
  readonly reason: string
  /** Length of the line in the imported file. */
  readonly bytes: number
  /** Empty for a line too long to read. */
  readonly content: Readonly<Record<string, unknown>>
}

/** Fields of a line; text that is not JSON becomes a body that is rejected again. */
export function parseContent(text: string): Rejection['content'] {
  const json = parseLine(text)
  if (isLineError(json)) return { body: text }
  return isObject(json) ? json : { body: json }
}

/** A reason can quote every name in a line. */
const maxReasonLength = 1_000

/** Bytes of a number, a reason and a receipt time added to a short line. */
const ownBytes = 2_000

/** At most twice the line's bytes, or `ownBytes` more: `1e20` and control characters are written in five times as many. */
export function toRejectedLine({ line, content, bytes, ...rejection }: Rejection): string {
  const reason = truncate(rejection.reason, maxReasonLength)
  let text: string | undefined
  try {
    text = JSON.stringify({ ...content, [rejectedField]: { line, reason } })
    if (Buffer.byteLength(text) <= Math.max(2 * bytes, bytes + ownBytes)) return text
  } catch {
    // JSON.stringify recurses, JSON.parse does not.
  }
  const why = text === undefined ? 'nested too deeply' : 'too long'
  return JSON.stringify({ [rejectedField]: { line, reason: `${reason}; ${why} to include here` } })
}
