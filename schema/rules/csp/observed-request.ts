/** @module The part of a report that verdicts depend on; reports_per_day_by_source has its columns. */

export interface ObservedRequest {
  readonly directive: string
  /** Origin of the blocked URL, or its scheme or keyword such as `inline`; '' if the browser names nothing. */
  readonly source: string
  /**
   * Relation of the source to the document: its origin, a secure upgrade that `'self'` matches too (CSP3, 6.7.2.8, step
   * 4), or another. '' if either is unknown.
   */
  readonly self: 'origin' | 'upgrade' | 'other' | ''
  readonly pageScheme: 'http' | 'https' | ''
  /** Start of the URL's path, '' if it was cut to its origin; the sample of a keyword or scheme; undefined: not read. */
  readonly detail: string | undefined
  readonly isDetailCut: boolean
}

interface CspReport {
  readonly directive: string
  readonly documentUrl: string
  readonly documentHost: string
  readonly blockedUrl: string
  readonly blockedHost: string
  readonly blockedOrigin: string
  readonly sample: string
}

/** Characters of the database's column. */
const maxDetail = 100
/** Authority with its scheme; a document has http or https. */
const authority = /^[\t\n\f\r ]*([a-z][a-z0-9+.-]*):[/\\]*([^/\\?#]*)/i
const urlPath = /^[^:/?#]*:\/\/[^/?#]*(\/[^?#]*)/
const threeSegments = /^(?:\/[^/]*){0,3}\/?/

const defaultPorts: Readonly<Record<string, number>> = { http: 80, https: 443, ws: 80, wss: 443 }

/** @param url an origin, or a URL with a host. */
export function schemeAndPort(url: string): { readonly scheme: string; readonly port: number } {
  const [, written = '', place = ''] = authority.exec(url) ?? []
  const scheme = written.toLowerCase()
  const port = Number(/:(\d{1,6})$/.exec(place)?.[1] ?? 0)
  return { scheme, port: port || (defaultPorts[scheme] ?? 0) }
}

export const isDefaultPort = (scheme: string, port: number): boolean => defaultPorts[scheme] === port

function relation({ documentUrl, documentHost, blockedHost, blockedOrigin }: CspReport): ObservedRequest['self'] {
  if (documentHost === '' || blockedOrigin === '') return ''
  if (documentHost !== blockedHost) return 'other'
  const [page, blocked] = [schemeAndPort(documentUrl), schemeAndPort(blockedOrigin)]
  if (page.scheme === blocked.scheme && page.port === blocked.port) return 'origin'
  const areDefault = isDefaultPort(page.scheme, page.port) && isDefaultPort(blocked.scheme, blocked.port)
  const isUpgrade =
    blocked.scheme === 'https' || blocked.scheme === 'wss' || (page.scheme === 'http' && blocked.scheme === 'ws')
  return isUpgrade && (areDefault || page.port === blocked.port) ? 'upgrade' : 'other'
}

/** Same result as the database's view. */
export function observeRequest(report: CspReport): ObservedRequest {
  const { directive, documentUrl, documentHost, blockedUrl, blockedHost, blockedOrigin, sample } = report
  const { scheme } = schemeAndPort(documentUrl)
  const full = blockedOrigin === '' ? sample : (urlPath.exec(blockedUrl)?.[1] ?? '')
  const start = blockedOrigin === '' ? full : (threeSegments.exec(full)?.[0] ?? '')
  const detail = [...start].slice(0, maxDetail).join('')
  return {
    directive,
    source: blockedOrigin || blockedHost,
    self: relation(report),
    pageScheme: documentHost !== '' && (scheme === 'http' || scheme === 'https') ? scheme : '',
    detail,
    isDetailCut: detail !== full,
  }
}
