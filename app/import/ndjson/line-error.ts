/** @module Line errors are values, not exceptions: a rejected line is an ordinary result of an import. */

/** A symbol, because a report can have a field of any name. */
const lineError = Symbol('line error')

export interface LineError {
  readonly [lineError]: true
  /** Text for people; may contain a browser's text. */
  readonly reason: string
}

export function reject(reason: string): LineError {
  return { [lineError]: true, reason }
}

export function isLineError(value: unknown): value is LineError {
  return isObject(value) && lineError in value
}

/** True for an object of JSON, false for an array. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const byteOrderMark = 0xfeff

/** Some senders write one before their JSON, which RFC 8259, 8.1, lets a parser skip. */
export const withoutByteOrderMark = (text: string) => (text.charCodeAt(0) === byteOrderMark ? text.slice(1) : text)

/** JSON of a line; undefined for a blank line. */
export function parseLine(line: string): unknown {
  const text = withoutByteOrderMark(line)
  try {
    return JSON.parse(text)
  } catch (error) {
    return text.trim() === '' ? undefined : reject(`not JSON: ${(error as Error).message}`)
  }
}
