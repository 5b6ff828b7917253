import { clip } from './clip.ts'
import { type HostLookup, type ImportSite, lookUpHosts, sitesByPattern } from './host-patterns.ts'
import { type Refusal, refuse } from './refusal.ts'
import { urlParts } from './url-parts.ts'

/** The site of a report, and the host that chose it; '' where the line or the import names the site. */
export interface ChosenSite {
  readonly siteId: string
  readonly hostname: string
}

/** Chooses a report's site by what its line names and by its URL (decisions, Where data comes from). */
export type ChooseSite = (namedSiteId: string, url: string) => ChosenSite | Refusal

/** @param siteId the site of every report whose line names none. */
export function chooseSites(sites: readonly ImportSite[], siteId: string | undefined): ChooseSite {
  const owned = new Set(sites.map(({ id }) => id))
  const find: HostLookup<string> = lookUpHosts(sitesByPattern(sites))
  return (namedSiteId, url) => {
    const named = namedSiteId || siteId
    if (named) return owned.has(named) ? { siteId: named, hostname: '' } : refuse(`the tenant has no site ${named}`)
    const { hostname } = urlParts(url)
    const found = find(hostname)
    if (found !== undefined) return { siteId: found, hostname }
    if (hostname === '') return refuse('neither the line nor the report’s URL tells its site')
    return refuse(`no site of the tenant has the host ${clip(hostname, 255)}`)
  }
}
