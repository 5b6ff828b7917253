import { expect, test } from 'vitest'
import { nextLink } from '../../../../app/pipeline/next-link.ts'

const url = 'http://api.example/v1/reports?last=7d&limit=5'
const window = { from: Date.UTC(2026, 10, 1), to: Date.UTC(2026, 10, 2) }

test('the next page repeats last', () => {
  expect(nextLink(url, { cursor: 'abc' })).toBe('</v1/reports?last=7d&limit=5&cursor=abc>; rel="next"')
})

test('a narrower window replaces last', () => {
  const times = 'from=2026-11-01T00%3A00%3A00.000Z&to=2026-11-02T00%3A00%3A00.000Z'
  expect(nextLink(url, { cursor: 'abc', window })).toBe(`</v1/reports?limit=5&cursor=abc&${times}>; rel="next"`)
})
