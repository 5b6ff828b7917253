import { parseUrl } from '../../parse-url.ts'

/** Segments that name one thing among many: numbers, UUIDs, long hexadecimal, and words with several digits in them. */
const idLike = /^(\d+|[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}|[\da-f]{8,}|(?=(?:.*\d){3})[\w.~-]{6,})$/i

/** A literal star would be read as a wildcard. */
const anyOf = (segment: string) => (idLike.test(segment) || segment.includes('*') ? '*' : segment)

/** Rule 69; a text that is not an http(s) URL is its own pattern. */
export function suggestedPattern(page: string): string {
  const url = /^https?:/i.test(page) ? parseUrl(page) : undefined
  if (!url) return page
  return url.origin + url.pathname.split('/').map(anyOf).join('/')
}
