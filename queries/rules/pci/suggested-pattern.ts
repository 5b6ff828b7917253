/** Segments that name one thing among many: numbers, UUIDs, long hexadecimal, and words with several digits in them. */
const idLike = /^(\d+|[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}|[\da-f]{8,}|(?=(?:.*\d){3})[\w.~-]{6,})$/i

/** A star of the page's own would be read as a pattern's, and two of them be refused. */
const anyOf = (segment: string) => (idLike.test(segment) || segment.includes('*') ? '*' : segment)

/**
 * A pattern for a page like this one: its path segments that look like ids become `*` (decisions, PCI).
 * @param page what is not an http or https URL is its own pattern.
 */
export function suggestedPattern(page: string): string {
  if (!/^https?:/i.test(page) || !URL.canParse(page)) return page
  const { origin, pathname } = new URL(page)
  return origin + pathname.split('/').map(anyOf).join('/')
}
