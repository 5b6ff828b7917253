import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isElements, parseJson } from '../../app/import/parse-json.ts'

/** White space that makes a text long enough for its elements to be parsed one by one. */
const padding = ' \t\r'.repeat(30_000)

/** The value with its elements in an array. */
function whole(value: unknown): unknown {
  if (isElements(value)) return [...value]
  const body = (value as { body?: unknown } | null)?.body
  return isElements(body) ? { ...(value as object), body: [...body] } : value
}

function outcome(parse: (text: string) => unknown, text: string): unknown {
  try {
    return { value: whole(parse(text)) }
  } catch (error) {
    return { error: (error as Error).message }
  }
}

const awkward = fc.constantFrom('"body":[', '\\"', '\\\\', ',', ']', '}', '"', '[1]', '{"body":[{}]}', 'é😀')
const anyText = fc.oneof(awkward, fc.string())
const value = fc.jsonValue({ maxDepth: 3 }).map((json) => JSON.stringify(json))
const list = fc
  .array(
    fc.oneof(
      value,
      anyText.map((text) => JSON.stringify(text)),
    ),
  )
  .map((all) => `[${all.join(',')}]`)
const member = fc.tuple(anyText, fc.oneof(value, list)).map(([name, json]) => `${JSON.stringify(name)}:${json}`)
const post = fc
  .tuple(fc.array(member), list, fc.array(member))
  .map(([before, body, after]) => `{${[...before, `"body" :\n${body}`, ...after].join(',')}}`)
const line = fc.oneof(list, post, value)

test('a long text is read as JSON.parse reads it', () => {
  fc.assert(
    fc.property(line, (json) => {
      expect(outcome(parseJson, padding + json)).toEqual(outcome(JSON.parse, padding + json))
    }),
    { numRuns: 1_000 },
  )
})

test('a long text that is no JSON is refused as JSON.parse refuses it', () => {
  fc.assert(
    fc.property(line, fc.nat(), fc.oneof(awkward, fc.constant('')), fc.nat({ max: 3 }), (json, place, put, cut) => {
      const at = place % (json.length + 1)
      const broken = padding + json.slice(0, at) + put + json.slice(at + cut)
      expect(outcome(parseJson, broken)).toEqual(outcome(JSON.parse, broken))
    }),
    { numRuns: 1_000 },
  )
})

test('the elements of a long text are parsed in their turn', () => {
  const body = Array.from({ length: 20_000 }, (_, index) => ({ index }))
  const bare = parseJson(JSON.stringify(body))
  expect(isElements(bare) && bare.length).toBe(20_000)
  const { body: inPost } = parseJson(JSON.stringify({ site: 's', body })) as { body: unknown }
  expect(isElements(inPost)).toBe(true)
})

test.each([
  ['an array of too many elements', `[${'1,'.repeat(500_000)}1]`, 'more than 500000 reports in one line'],
  ['an element that is too long', `[1,"${'x'.repeat(1_048_576)}"]`, 'more than 1048576 characters in one report'],
  ['too much around its array', `{"a":"${'x'.repeat(1_048_576)}","body":[1]}`, /more than 1048576 characters, and no/],
  ['too much without an array', `{"body":{"a":"${'x'.repeat(1_048_576)}"}}`, /more than 1048576 characters, and no/],
])('%s is refused, and not as what is no JSON', (_, text, message) => {
  expect(() => parseJson(text)).toThrow(message)
  expect(() => parseJson(text)).not.toThrow(SyntaxError)
})
