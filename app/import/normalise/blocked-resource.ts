import { urlParts } from './url-parts.ts'

/** Where a blocked resource is from. Both are '' when that is not known. */
export interface BlockedResource {
  /** Host of a URL, or the keyword or scheme that stands for one: inline, eval, data, webrtc; lower case. */
  readonly host: string
  readonly origin: string
}

const nowhere: BlockedResource = { host: '', origin: '' }

/** A connection can be a bare host, with which `host:443` would read as a scheme (payloads, connection-allowlist). */
const bareHost = /^(\[[\da-f:.]+\]|[^\s:/?#@[\]\\]+)(:\d{1,5})?$/i

const keyword = /^[a-z][a-z0-9+.-]*$/i

/**
 * A blocked URL with its scheme: a bare host is written as the host of a URL is, so that both are one.
 * @param mayBeHost the text can be a host without a scheme.
 */
export const withScheme = (blockedUrl: string, mayBeHost: boolean): string =>
  mayBeHost && blockedUrl.length <= 300 && bareHost.test(blockedUrl) ? `https://${blockedUrl}` : blockedUrl

/**
 * Reads a blocked URL, keyword or scheme (payloads, Normalising).
 * @param mayBeHost the text can be a host without a scheme.
 */
export function blockedResource(blockedUrl: string, mayBeHost: boolean): BlockedResource {
  if (blockedUrl === '') return nowhere
  const url = withScheme(blockedUrl, mayBeHost)
  const { scheme, host, origin } = urlParts(url)
  if (url !== blockedUrl) return { host: host || blockedUrl.toLowerCase(), origin: '' }
  if (host !== '') return { host, origin }
  if (scheme !== '') return { host: scheme, origin: '' }
  return blockedUrl.length <= 300 && keyword.test(blockedUrl) ? { host: blockedUrl.toLowerCase(), origin: '' } : nowhere
}
