import { LRUCache } from 'lru-cache'
import { noiseHosts, noiseSamples, noiseSchemes } from '../../../schema/noise-list.ts'
import type { StoredReport } from '../../../schema/stored-report.ts'
import { withScheme } from './blocked-resource.ts'
import { longestHostname, urlComponents } from './url-components.ts'

/** One lookup instead of one for each parent domain. */
const cache = new LRUCache<string, boolean>({
  max: 10_000,
  memoMethod: (hostname) => parents(hostname).some((host) => noiseHosts.has(host)),
})

/**
 * True for resources and inline scripts of an extension, the browser or a product on the way. Hosts that the quoted policy names, and the
 * page's own host, are the site's choice.
 * @param blocksHosts the blocked URL can be a host without a scheme.
 */
export function isNoise(report: StoredReport, blocksHosts = false): boolean {
  const { blockedUrl, sourceFile, sample } = report
  if (noiseSamples.some(({ text }) => sample.includes(text))) return true
  if (isMadeUp(blockedUrl, report)) return true
  return isForeign(withScheme(blockedUrl, blocksHosts), report) || isForeign(sourceFile, report)
}

function isForeign(text: string, { policy, documentUrl }: StoredReport): boolean {
  if (text === '') return false
  const { scheme, host } = urlComponents(text)
  // Browsers also send only a scheme; the scheme of the page itself, about:srcdoc, belongs to the site.
  const word = scheme || text.toLowerCase()
  if (host === '') return (noiseSchemes.has(word) || word.endsWith('-extension')) && word !== documentUrl
  return isNoiseHost(host) && host !== urlComponents(documentUrl).host && !namesHost(policy, host)
}

/** No public page loads from a host without a dot; intermediate products invent such hosts. */
function isMadeUp(url: string, { documentUrl, policy }: StoredReport): boolean {
  const { host } = urlComponents(url)
  const isOdd = /^[^.:[]+$/.test(host) && host !== 'localhost'
  return isOdd && urlComponents(documentUrl).host.includes('.') && !namesHost(policy, host)
}

const isNoiseHost = (hostname: string) => hostname.length <= longestHostname && cache.memo(hostname)

/** The host and every domain above it. */
function parents(hostname: string): string[] {
  const labels = hostname.split('.')
  return labels.map((_, index) => labels.slice(index).join('.'))
}

/** True if a policy source is this host, with any scheme, port and path, or a `*.` above it. */
function namesHost(policy: string, hostname: string): boolean {
  const [, ...above] = parents(hostname)
  const sources = new Set([hostname, ...above.map((host) => `*.${host}`)])
  return policy.split(/[\s;,()"]+/).some((source) => {
    const host = /^(?:[a-z][a-z\d+.-]*:\/\/)?([^/:]+)/i.exec(source)?.[1]
    return host !== undefined && sources.has(host.toLowerCase())
  })
}
