import { LRUCache } from 'lru-cache'
import { noiseHosts, noiseSchemes } from '../../../schema/noise-list.ts'
import type { StoredReport } from '../../../schema/stored-report.ts'
import { withScheme } from './blocked-resource.ts'
import { longestHostname, urlParts } from './url-parts.ts'

/** Hosts repeat, and a look-up here costs less than one for each of a host's parents. */
const known = new LRUCache<string, boolean>({ max: 10_000 })

/**
 * Whether a report is of something that an extension, the browser itself or a product on the way put on the page
 * (payloads, Noise). A host that the quoted policy itself names is the site's own choice, as is the page's own host.
 * @param blocksHosts the blocked URL can be a host without a scheme.
 */
export function isNoise(report: StoredReport, blocksHosts = false): boolean {
  const { blockedUrl, sourceFile } = report
  return isForeign(withScheme(blockedUrl, blocksHosts), report) || isForeign(sourceFile, report)
}

function isForeign(text: string, { policy, documentUrl }: StoredReport): boolean {
  if (text === '') return false
  const { scheme, hostname } = urlParts(text)
  // Browsers also write a scheme alone.
  if (hostname === '') return noiseSchemes.has(scheme || text.toLowerCase())
  return isNoiseHost(hostname) && hostname !== urlParts(documentUrl).hostname && !namesHost(policy, hostname)
}

function isNoiseHost(hostname: string): boolean {
  if (hostname.length > longestHostname) return false
  let noise = known.get(hostname)
  if (noise === undefined) {
    noise = parents(hostname).some((host) => noiseHosts.has(host))
    known.set(hostname, noise)
  }
  return noise
}

/** The host and every domain above it. */
function parents(hostname: string): string[] {
  const labels = hostname.split('.')
  return labels.map((_, index) => labels.slice(index).join('.'))
}

/** Whether a source of a policy, or of a list of them, is this host, with any scheme, port and path, or a `*.` above it. */
function namesHost(policy: string, hostname: string): boolean {
  const [, ...above] = parents(hostname)
  const sources = new Set([hostname, ...above.map((host) => `*.${host}`)])
  return policy.split(/[\s;,()"]+/).some((source) => {
    const host = /^(?:[a-z][a-z\d+.-]*:\/\/)?([^/:]+)/i.exec(source)?.[1]
    return host !== undefined && sources.has(host.toLowerCase())
  })
}
