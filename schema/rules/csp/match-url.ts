/** @module Matching of an expression and a URL: CSP3, 6.7.2.8 to 6.7.2.12, like Chromium 156. */

import { isDefaultPort, type ObservedRequest, schemeAndPort } from './observed-request.ts'
import type { HostSource, UrlSource } from './source-list.ts'

/** Information missing for a decision; `detail` is in the database but was not read. */
export type UrlUnknown = 'document' | 'port' | 'path' | 'detail'

export type UrlMatch = boolean | UrlUnknown

export interface BlockedUrl {
  readonly scheme: string
  readonly host: string
  readonly port: number
}

const origin = /^[a-z][a-z0-9+.-]*:\/\/(\[[^\]]*\]|[^/:?#]*)/i
const networkSchemes = new Set(['http', 'https', 'ws', 'wss'])

/** Undefined for a keyword or a bare scheme. @param source an origin. */
export function blockedUrl(source: string): BlockedUrl | undefined {
  const host = origin.exec(source)?.[1]
  return host === undefined ? undefined : { ...schemeAndPort(source), host: host.toLowerCase() }
}

export function matchUrl(source: UrlSource, url: BlockedUrl, request: ObservedRequest): UrlMatch {
  if (source.kind === 'any') return networkSchemes.has(url.scheme)
  if (source.kind === 'scheme') return matchScheme(source.scheme, url.scheme)
  if (source.kind === 'host') return matchHostSource(source, url, request)
  return request.self === '' ? 'document' : request.self !== 'other'
}

/** 6.7.2.9; like in Chromium, `https:` does not cover wss. */
const matchScheme = (a: string, b: string): boolean =>
  a === b || (a === 'http' && b === 'https') || (a === 'ws' && b === 'wss')

function matchHostSource(source: HostSource, url: BlockedUrl, request: ObservedRequest): UrlMatch {
  if (!matchHost(source.host, url.host)) return false
  const scheme = source.scheme ?? request.pageScheme
  const parts = [
    scheme === '' ? matchAnyPage(url.scheme) : matchScheme(scheme, url.scheme),
    matchPort(source.port, url, scheme),
    matchPath(source.path, request),
  ]
  if (parts.includes(false)) return false
  // Only an unread path can still differ.
  return parts.includes('detail') ? 'detail' : (parts.find((part) => part !== true) ?? true)
}

/** A document of http or of https, which is unknown: both cover https. */
const matchAnyPage = (scheme: string): UrlMatch => (scheme === 'http' ? 'document' : scheme === 'https')

/** 6.7.2.10; like in browsers, addresses are compared as text. */
function matchHost(pattern: string, host: string): boolean {
  if (pattern === '*') return true
  return pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) && host.length >= pattern.length : host === pattern
}

/** 6.7.2.11. For an upgraded URL Chromium accepts 443 only for 80, and the specification only the written port. */
function matchPort(port: HostSource['port'], url: BlockedUrl, scheme: string): UrlMatch {
  if (port === '*') return true
  if (port === undefined) return isDefaultPort(url.scheme, url.port)
  if (scheme === url.scheme) return port === url.port
  const mayMatch = port === url.port || (port === 80 && url.port === 443)
  return mayMatch && (scheme === '' ? 'document' : 'port')
}

/** 6.7.2.12, by segment; the cut end of a path is unknown. */
function matchPath(path: string, { detail, isDetailCut }: ObservedRequest): UrlMatch {
  if (path === '' || path === '/') return true
  if (detail === undefined) return 'detail'
  if (detail === '') return 'path'
  const isExact = !path.endsWith('/')
  const wanted = path.split('/')
  const segments = detail.split('/')
  const known = isDetailCut ? segments.slice(0, -1) : segments
  if (!isDetailCut && (wanted.length > segments.length || (isExact && wanted.length !== segments.length))) return false
  if (!isExact) wanted.pop()
  if (wanted.slice(0, known.length).some((segment, index) => decoded(segment) !== decoded(known[index] ?? ''))) {
    return false
  }
  if (!isDetailCut) return true
  if (wanted.length > known.length) return 'path'
  return !isExact
}

/** Decodes a percent-encoded segment into one character per byte. */
const decoded = (segment: string): string =>
  Buffer.from(segment)
    .toString('latin1')
    .replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
