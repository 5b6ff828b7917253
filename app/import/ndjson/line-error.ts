/** A symbol, because a report can have a member of any name. */
const refused = Symbol('refused')

/** Why a line or one of its reports cannot be stored. */
export interface Refusal {
  readonly [refused]: true
  /** For people; may hold a browser's text. */
  readonly reason: string
}

/** Refuses a line or a report, with a reason for people. */
export function refuse(reason: string): Refusal {
  return { [refused]: true, reason }
}

/** Tells a refusal from what was read. */
export function isRefusal(value: unknown): value is Refusal {
  return isObject(value) && refused in value
}

/** Whether a value of JSON is an object, and no array. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const byteOrderMark = 0xfeff

/** A line's JSON; undefined when it is blank. */
export function parseLine(line: string): unknown {
  const text = line.charCodeAt(0) === byteOrderMark ? line.slice(1) : line
  try {
    return JSON.parse(text)
  } catch (error) {
    return text.trim() === '' ? undefined : refuse(`not JSON: ${(error as Error).message}`)
  }
}
