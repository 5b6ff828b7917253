import { type LineError, reject } from '../ndjson/line-error.ts'
import { createHostLookup, type ImportSite, sitesByPattern } from '../normalise/host-patterns.ts'
import { truncate } from '../normalise/truncate.ts'
import { urlComponents } from '../normalise/url-components.ts'

/** Chooses a report's site by its line's `site`, or else by the host of its URL. */
export type ChooseSite = (namedSiteId: string, url: string) => string | LineError

/**
 * @param siteId site of every report whose line names none.
 * @param hosts the only patterns that choose a site; all by default.
 */
export function chooseSites(
  sites: readonly ImportSite[],
  siteId: string | undefined,
  hosts?: readonly string[],
): ChooseSite {
  const owned = new Set(sites.map(({ id }) => id))
  const byPattern = sitesByPattern(sites)
  const allowed = hosts && new Set(hosts)
  const find = createHostLookup(
    allowed ? new Map([...byPattern].filter(([pattern]) => allowed.has(pattern))) : byPattern,
  )
  return (namedSiteId, url) => {
    const named = namedSiteId || siteId
    if (named) return owned.has(named) ? named : reject(`the tenant has no site ${named}`)
    const { host } = urlComponents(url)
    if (host === '') return reject('no site: set "site" or use a URL whose host belongs to one')
    // The same reason at every repeat, so that the rejected file never changes.
    return (
      find(host) ?? reject(`no site of the tenant had the host ${truncate(host, 255)} when the line was first imported`)
    )
  }
}
