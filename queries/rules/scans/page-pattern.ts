/** What a page, a URL without query and fragment, must begin with and match. */
export interface PageMatch {
  /** Every match begins with it: what a sorted column of pages is narrowed by. */
  readonly prefix: string
  /** A regular expression of RE2, which JavaScript reads the same with the flag `u`. */
  readonly expression: string
}

const patternParts = /^([a-z][a-z0-9+.-]*:\/\/[^/?#]*)?([^?#]*)/i
const anyRest = '/**'

const literal = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

/**
 * Reads a monitored page's pattern (contract, Monitored page). `*` stands for any characters of one path segment, none
 * included; `**` as the whole last segment for any remainder, none included, so that `/a/**` takes `/a/` and all below
 * but not `/a`. Everything else stands for itself, in the host as well; scheme and host are lower case, a pattern without
 * a path is of the host's root, and a query or fragment says nothing. The store reads payment pages' patterns
 * alike (queries/pages/payment-pages.ts), which a test compares.
 */
export function pageMatch(pattern: string): PageMatch {
  const [, origin = '', written = ''] = patternParts.exec(pattern) ?? []
  const path = written || '/'
  const isOpen = path.endsWith(anyRest)
  const closed = isOpen ? path.slice(0, -2) : path
  const [start = '', ...rest] = closed.split(/\*+/)
  const host = origin.toLowerCase()
  const segments = [host + start, ...rest].map(literal).join('[^/]*')
  return {
    prefix: host + start,
    expression: `^${segments}${isOpen ? '' : '$'}`,
  }
}
