import { LRUCache } from 'lru-cache'
import { parseUrl } from '../../../schema/parse-url.ts'
import { detachString } from './detach-string.ts'

/** Parts of a report's URL. For text that is not a URL all are '' except `url` and `page`. */
export interface UrlComponents {
  /** Lower case, without the colon. */
  readonly scheme: string
  /** Lower case, in ASCII, without port; '' unless http, https, ws or wss. */
  readonly host: string
  /** Origin with a port other than the scheme's default; '' unless http, https, ws or wss. */
  readonly origin: string
  /** Original text without fragment; only the scheme unless it is http, https, ws or wss. */
  readonly url: string
  /** Same as `url` for http and https; only the scheme otherwise. */
  readonly page: string
}

/** Octets of a DNS name (RFC 1035, 2.3.4); no site has a longer host. */
export const longestHostname = 253

/** Most URLs of a file are seen once, their scheme and host again and again: 3.6 µs less a report than a cache of URLs. */
const cache = new LRUCache<string, UrlComponents>({ max: 10_000 })

/**
 * Scheme, host and port of an ordinary URL. The rest of the URL changes neither the host nor its validity (URL
 * Standard, 4.4).
 */
const ordinaryStart = /^(?:https?|wss?):\/\/[^\s\p{Cc}/?#\\@]{1,300}(?=[/?#]|$)/iu

const hasHost = new Set(['http', 'https', 'ws', 'wss'])

const nothing: UrlComponents = { scheme: '', host: '', origin: '', url: '', page: '' }

/** Consecutive reports usually have the same page. */
let last = { text: '', components: nothing }

/** Never throws. */
export function urlComponents(text: string): UrlComponents {
  if (text === last.text) return last.components
  const start = ordinaryStart.exec(text)?.[0]
  const known = start === undefined ? nothing : parseStart(start)
  const components = known.host === '' ? parseWhole(text) : withPath(known, text)
  last = { text, components }
  return components
}

function parseStart(start: string): UrlComponents {
  const found = cache.get(start)
  if (found) return found
  const key = detachString(start)
  const components = parseWhole(key)
  cache.set(key, components)
  return components
}

function withPath({ scheme, host, origin }: UrlComponents, text: string): UrlComponents {
  const url = withoutFragment(text)
  return { scheme, host, origin, url, page: scheme.startsWith('ws') ? scheme : url }
}

/** Reads the whole text; never throws. */
export function parseWhole(text: string): UrlComponents {
  const written = withoutFragment(text)
  const scheme = /^\s*([a-z][a-z0-9+.-]*):/i.exec(text)?.[1]?.toLowerCase() ?? ''
  if (!hasHost.has(scheme)) return { ...nothing, scheme, url: scheme || written, page: scheme || written }
  const parsed = parseUrl(written)
  if (!parsed) return { ...nothing, url: written, page: written }
  const { hostname: host, origin } = parsed
  return { scheme, host, origin, url: written, page: scheme.startsWith('http') ? written : scheme }
}

function withoutFragment(text: string): string {
  const fragment = text.indexOf('#')
  return fragment < 0 ? text : text.slice(0, fragment)
}
