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

/** Whether a text that can be a host without a scheme is one. */
export const isBareHost = (text: string): boolean => text.length <= 300 && bareHost.test(text)

/**
 * Reads a blocked URL, keyword or scheme (payloads, Normalising).
 * @param mayBeHost the text can be a host without a scheme.
 */
export function blockedResource(blockedUrl: string, mayBeHost: boolean): BlockedResource {
  if (blockedUrl === '') return nowhere
  if (mayBeHost && isBareHost(blockedUrl)) {
    // As the host of a URL is written, so that both are one issue.
    return { host: urlParts(`https://${blockedUrl}`).host || blockedUrl.toLowerCase(), origin: '' }
  }
  const { scheme, host, origin } = urlParts(blockedUrl)
  if (host !== '') return { host, origin }
  if (scheme !== '') return { host: scheme, origin: '' }
  return blockedUrl.length <= 300 && keyword.test(blockedUrl) ? { host: blockedUrl.toLowerCase(), origin: '' } : nowhere
}
