/** Characters from which a text is looked through for its array; the values of a shorter one take little memory. */
const longText = 64 * 1024

/** Characters whose values are held at once: those of `{},{},{}` take sixty times as many bytes. */
const mostAtOnce = 1024 * 1024

/** A browser sends up to about 100 reports (payloads, Envelope), a collector more; each that is refused is recorded. */
const mostElements = 500_000

/** Tells them from an object of JSON, which has no symbols. */
const elements = Symbol('elements')

/** An array's elements, each parsed when it is its turn. */
export interface JsonElements extends Iterable<unknown> {
  readonly [elements]: true
  readonly length: number
}

/** Whether a value is an array whose elements are parsed one at a time. */
export function isElements(value: unknown): value is JsonElements {
  return typeof value === 'object' && value !== null && elements in value
}

/**
 * As JSON.parse, but a long text's array, or the one in its member `body`, is given as JsonElements. Throws what
 * JSON.parse throws, and an Error that is no SyntaxError for what would take too much memory: an array of more than
 * 500,000 elements, one of more than 1 Mi characters, and a text of as many that has no such array.
 */
export function parseJson(text: string): unknown {
  if (text.length < longText) return JSON.parse(text)
  const parsed = inElements(text)
  if (parsed !== undefined) return parsed
  if (text.length <= mostAtOnce) return JSON.parse(text)
  throw new Error(`more than ${mostAtOnce} characters, and no array of reports`)
}

/** Undefined where there is no such array, or no JSON. */
function inElements(text: string): unknown {
  const marks = findArray(text)
  const [opening = 0] = marks ?? []
  const closing = marks?.at(-1) ?? 0
  if (!marks || opening + text.length - closing > mostAtOnce) return undefined
  const found = elementsBetween(text, marks)
  try {
    const around: unknown = JSON.parse(text.slice(0, opening + 1) + text.slice(closing))
    // One that is no JSON makes the whole none.
    for (const _ of found);
    return Array.isArray(around) ? found : { ...(around as object), body: found }
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** @param marks where the array's brackets and the commas between its elements stand. */
function elementsBetween(text: string, marks: readonly number[]): JsonElements {
  return {
    [elements]: true,
    length: marks.length - 1,
    *[Symbol.iterator]() {
      for (let index = 1; index < marks.length; index++) {
        const start = (marks[index - 1] ?? 0) + 1
        const end = marks[index] ?? start
        if (end - start > mostAtOnce) throw new Error(`more than ${mostAtOnce} characters in one report`)
        yield JSON.parse(text.slice(start, end))
      }
    },
  }
}

const bodyArray = /"body"[ \t\n\r]*:[ \t\n\r]*\[/y

/**
 * Where the brackets of a text's array, or of the one in its member `body`, and the commas between its elements stand.
 * Undefined where there is none, or more than one; of what is no JSON it says anything.
 */
function findArray(text: string): number[] | undefined {
  const marks: number[] = []
  let arrayDepth = 0
  let depth = 0
  let isOpen = false
  for (let at = 0; at < text.length; at++) {
    switch (text[at]) {
      case '"':
        bodyArray.lastIndex = at
        if (depth === 1 && arrayDepth !== 1 && bodyArray.test(text)) {
          if (arrayDepth > 0) return undefined
          at = bodyArray.lastIndex - 1
          marks.push(at)
          isOpen = true
          depth = 2
          arrayDepth = 2
        } else {
          at = endOfString(text, at)
          if (at < 0) return undefined
        }
        break
      case '[':
      case '{':
        depth++
        if (depth === 1 && marks.length === 0 && text[at] === '[') {
          marks.push(at)
          isOpen = true
          arrayDepth = 1
        }
        break
      case ']':
      case '}':
        if (isOpen && depth === arrayDepth) {
          marks.push(at)
          isOpen = false
        }
        depth--
        break
      case ',':
        if (isOpen && depth === arrayDepth) marks.push(at)
        if (marks.length > mostElements) throw new Error(`more than ${mostElements} reports in one line`)
        break
    }
  }
  return marks.length > 1 && !isOpen ? marks : undefined
}

/** Where the closing quote stands; -1 where there is none. */
function endOfString(text: string, opening: number): number {
  for (let end = text.indexOf('"', opening + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0
    while (text[end - 1 - backslashes] === '\\') backslashes++
    if (backslashes % 2 === 0) return end
  }
  return -1
}
