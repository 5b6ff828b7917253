export interface PageMatch {
  /** Literal beginning of every match, which a primary key can use. */
  readonly prefix: string
  /** RE2, and JavaScript with the flag `u`. */
  readonly expression: string
}

const patternSyntax = /^([a-z][a-z0-9+.-]*:\/\/[^/?#]*)?([^?#]*)/i
const anyRest = '/**'

const literal = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

/**
 * Rule 61: `*` and `**` also match nothing, so `/a/**` matches `/a/` and everything below, but not `/a`. A test
 * compares it with ClickHouse's patterns (queries/pages/payment-pages.ts).
 */
export function pageMatch(pattern: string): PageMatch {
  const [, origin = '', written = ''] = patternSyntax.exec(pattern) ?? []
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
