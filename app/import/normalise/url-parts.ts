import { LRUCache } from 'lru-cache'
import { detachString } from './detach-string.ts'

/** Parts of a report's URL. Text that is no URL has '' everywhere but in `url` and `page`. */
export interface UrlParts {
  /** Lower case, without the colon. */
  readonly scheme: string
  /** Lower case and in ASCII, with a port that is not the scheme's own; '' unless http, https, ws or wss. */
  readonly host: string
  /** The host without its port. */
  readonly hostname: string
  /** '' unless http, https, ws or wss. */
  readonly origin: string
  /** Original text without user, password or fragment; the scheme alone unless http, https, ws or wss. */
  readonly url: string
  /** Same as `url` for http and https; the scheme alone for any other. */
  readonly page: string
}

/** Octets of a DNS name (RFC 1035, 2.3.4); no site has a longer host. */
export const longestHostname = 253

/** Parsing a URL costs ten times a cache lookup. */
const cache = new LRUCache<string, UrlParts>({ max: 20_000 })

/** Longer texts are not cached, so that hostile ones cannot fill the memory. */
const maxCachedLength = 256

const hasHost = new Set(['http', 'https', 'ws', 'wss'])

const nothing: UrlParts = { scheme: '', host: '', hostname: '', origin: '', url: '', page: '' }

/** Consecutive reports are mostly of one page. */
let last = { text: '', parts: nothing }

/** Never throws. */
export function urlParts(text: string): UrlParts {
  if (text === last.text) return last.parts
  if (text === '') return nothing
  if (text.length > maxCachedLength) return parse(text)
  let parts = cache.get(text)
  if (!parts) {
    const key = detachString(text)
    parts = parse(key)
    cache.set(key, parts)
  }
  last = { text, parts }
  return parts
}

function parse(text: string): UrlParts {
  const fragment = text.indexOf('#')
  const written = fragment < 0 ? text : text.slice(0, fragment)
  const scheme = /^\s*([a-z][a-z0-9+.-]*):/i.exec(text)?.[1]?.toLowerCase() ?? ''
  if (!hasHost.has(scheme)) return { ...nothing, scheme, url: scheme || written, page: scheme || written }
  if (!URL.canParse(written)) {
    const url = written.replace(/\/\/[^/?]*@/, '//')
    return { ...nothing, url, page: url }
  }
  const parsed = new URL(written)
  const { host, hostname, origin } = parsed
  const url = withoutUser(parsed, written)
  return { scheme, host, hostname, origin, url, page: scheme.startsWith('http') ? url : scheme }
}

function withoutUser(url: URL, written: string): string {
  if (url.username === '' && url.password === '') return written
  url.username = ''
  url.password = ''
  return url.href
}
