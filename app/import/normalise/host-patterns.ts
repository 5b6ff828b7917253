/** @module Matches host names with the patterns of a tenant's sites. */

import { parseUrl } from '../../../schema/parse-url.ts'
import { longestHostname } from './url-components.ts'
import type { UrlSettings } from './url-mask.ts'

export interface ImportSite extends UrlSettings {
  readonly id: string
  /** Hosts, or `*.example.com` for every subdomain of one. */
  readonly hosts: readonly string[]
}

/**
 * Finds the entry of a host name, or of the nearest `*.` above it.
 * @param entries by normalised pattern.
 */
export function createHostLookup<Value>(entries: ReadonlyMap<string, Value>) {
  return (written: string): Value | undefined => {
    const hostname = withoutRoot(written)
    if (hostname.length > longestHostname) return undefined
    const own = entries.get(hostname)
    if (own !== undefined) return own
    for (let dot = hostname.indexOf('.'); dot >= 0; dot = hostname.indexOf('.', dot + 1)) {
      const above = entries.get(`*${hostname.slice(dot)}`)
      if (above !== undefined) return above
    }
    return undefined
  }
}

/** A trailing dot names the same host (RFC 1034, 3.1). */
const withoutRoot = (hostname: string) => (hostname.endsWith('.') ? hostname.slice(0, -1) : hostname)

/** Lower-case ASCII host without port and trailing dot; '' if the text is not a host. */
export function normalisePattern(pattern: string): string {
  const wild = pattern.startsWith('*.')
  const url = parseUrl(`http://${wild ? pattern.slice(2) : pattern}`)
  if (!url) return ''
  const hostname = withoutRoot(url.hostname)
  return wild ? `*.${hostname}` : hostname
}

/** Site ids by pattern; the first of two sites with one pattern wins. */
export function sitesByPattern(sites: readonly ImportSite[]): ReadonlyMap<string, string> {
  const entries = new Map<string, string>()
  for (const { id, hosts } of sites) {
    for (const host of hosts) {
      const pattern = normalisePattern(host)
      if (pattern !== '' && !entries.has(pattern)) entries.set(pattern, id)
    }
  }
  return entries
}
