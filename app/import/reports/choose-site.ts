import { type Refusal, refuse } from '../ndjson/line-error.ts'
import { type ImportSite, lookUpHosts, sitesByPattern } from '../normalise/host-patterns.ts'
import { clip } from '../normalise/truncate.ts'
import { urlParts } from '../normalise/url-parts.ts'

/** Chooses a report's site by what its line names and by its URL (decisions, Where data comes from). */
export type ChooseSite = (namedSiteId: string, url: string) => string | Refusal

/**
 * @param siteId the site of every report whose line names none.
 * @param hosts the patterns of the sites that choose; all by default.
 */
export function chooseSites(
  sites: readonly ImportSite[],
  siteId: string | undefined,
  hosts?: readonly string[],
): ChooseSite {
  const owned = new Set(sites.map(({ id }) => id))
  const byPattern = sitesByPattern(sites)
  const known = hosts && new Set(hosts)
  const find = lookUpHosts(known ? new Map([...byPattern].filter(([pattern]) => known.has(pattern))) : byPattern)
  return (namedSiteId, url) => {
    const named = namedSiteId || siteId
    if (named) return owned.has(named) ? named : refuse(`the tenant has no site ${named}`)
    const { hostname } = urlParts(url)
    if (hostname === '') return refuse('neither the line nor the report’s URL tells its site')
    // The same reason each time that the line is read, so that the rejected file of a file is always the same.
    return (
      find(hostname) ?? refuse(`no site of the tenant had the host ${clip(hostname, 255)} when this was first imported`)
    )
  }
}
