/** @module Host and origin of a blocked resource; '' if unknown. */

import { urlComponents } from './url-components.ts'

export interface BlockedResource {
  /** Host of a URL, or a keyword or scheme: inline, eval, data, webrtc; lower case. */
  readonly host: string
  readonly origin: string
}

const nowhere: BlockedResource = { host: '', origin: '' }

/** Bare host of a connection; a URL parser would read `host:443` as a scheme. */
const bareHost = /^(\[[\da-f:.]+\]|[^\s:/?#@[\]\\]+)(:\d{1,5})?$/i

const keyword = /^[a-z][a-z0-9+.-]*$/i

/** Writes a bare host as a URL. */
export const withScheme = (blockedUrl: string, mayBeHost: boolean): string =>
  mayBeHost && blockedUrl.length <= 300 && bareHost.test(blockedUrl) ? `https://${blockedUrl}` : blockedUrl

/** @param mayBeHost the text can be a host without a scheme. */
export function blockedResource(blockedUrl: string, mayBeHost: boolean): BlockedResource {
  if (blockedUrl === '') return nowhere
  const url = withScheme(blockedUrl, mayBeHost)
  const { scheme, host, origin } = urlComponents(url)
  if (url !== blockedUrl) return { host: host || blockedUrl.replace(/:\d+$/, '').toLowerCase(), origin: '' }
  if (host !== '') return { host, origin }
  if (scheme !== '') return { host: scheme, origin: '' }
  return blockedUrl.length <= 300 && keyword.test(blockedUrl) ? { host: blockedUrl.toLowerCase(), origin: '' } : nowhere
}
