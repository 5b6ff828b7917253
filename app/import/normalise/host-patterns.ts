import { longestHostname } from './url-parts.ts'

/** A site of the tenant, as far as choosing it takes. */
export interface ImportSite {
  readonly id: string
  /** Hosts, or `*.example.com` for every subdomain of one. */
  readonly hosts: readonly string[]
}

/** Finds what belongs to a host name: its own entry, or else that of the nearest `*.` above it. */
export type HostLookup<Value> = (hostname: string) => Value | undefined

/** @param entries by `normalisePattern`ed patterns. */
export function createHostLookup<Value>(entries: ReadonlyMap<string, Value>): HostLookup<Value> {
  return (written) => {
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

/** A name with a dot behind it is the same host, told from the root (RFC 1034, 3.1). */
const withoutRoot = (hostname: string) => (hostname.endsWith('.') ? hostname.slice(0, -1) : hostname)

/** A host as URLs write it: lower case, in ASCII, without a port and the root's dot; '' when it is none. */
export function normalisePattern(pattern: string): string {
  const wild = pattern.startsWith('*.')
  try {
    const hostname = withoutRoot(new URL(`http://${wild ? pattern.slice(2) : pattern}`).hostname)
    return wild ? `*.${hostname}` : hostname
  } catch {
    return ''
  }
}

/** The sites' patterns and the site of each; where two sites claim one, the first has it. */
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
