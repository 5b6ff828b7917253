/**
 * @module Allowed targets of fetches. Pages, redirects and scripts choose URLs, so a fetch must not reach private
 * addresses.
 */

import type { LookupAddress } from 'node:dns'
import { lookup as lookUp } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { isClosedAddress, isClosedHost, isPublicAddress } from './addresses.ts'
import { FetchFailure } from './fetch-failure.ts'
import { bareName, isOutboundAllowed, type OutboundHost, portOf, usualPorts } from './outbound-hosts.ts'

export type Resolve = (hostname: string) => Promise<LookupAddress[]>

export interface Guard {
  /** Throws FetchFailure(not_allowed), before any lookup. */
  check(url: URL): void
  /** Lookup for one connection: the socket gets the checked addresses, so that a name cannot change in between. */
  lookup(url: URL): LookupFunction
}

const resolveBySystem: Resolve = (hostname) => lookUp(hostname, { all: true, verbatim: true })

export function createGuard(allowed: readonly OutboundHost[], resolve: Resolve = resolveBySystem): Guard {
  const require = (refusal: string | undefined) => {
    if (refusal !== undefined) throw new FetchFailure('not_allowed', `Not fetched: ${refusal}`)
  }
  return {
    check: (url) => require(refusalOfUrl(url, isOutboundAllowed(allowed, url))),
    lookup: (url) => (hostname, _, callback) => {
      const checked = resolve(hostname).then((addresses) => {
        require(refusalOfAddresses(addresses, url, isOutboundAllowed(allowed, url)))
        return addresses
      })
      checked.then(
        (addresses) => callback(null, addresses),
        (error: Error) => callback(error, []),
      )
    },
  }
}

/** Names that no public DNS has, or that mean this machine or its network (RFC 6761, 6762, 8375, 9476). */
const localName = /(^|\.)(localhost|local|internal|intranet|lan|corp|home|private|home\.arpa|onion)$/

function refusalOfUrl(url: URL, isOpen: boolean): string | undefined {
  const name = nameOf(url)
  if (!/^https?:$/.test(url.protocol)) return `only http and https URLs are allowed, which ${never}`
  if (url.username !== '' || url.password !== '') return `URLs with a user are not allowed, which ${never}`
  if (isClosedHost(name)) return closed(url)
  if (isOpen) return undefined
  if (isIP(name) !== 0) return `${name} is an address, not a name; ${opens(url)}`
  if (!usualPorts.has(portOf(url))) return `port ${portOf(url)} is not a web port; ${opens(url)}`
  return name.includes('.') && !localName.test(name) ? undefined : `${name} is not a public name; ${opens(url)}`
}

/** Without the address, which would show readers of scans the inner network. */
function refusalOfAddresses(resolved: readonly LookupAddress[], url: URL, isOpen: boolean): string | undefined {
  const addresses = resolved.map(({ address }) => address)
  if (addresses.some(isClosedAddress)) return closed(url)
  if (isOpen || addresses.every(isPublicAddress)) return undefined
  return `${nameOf(url)} has an address that is not public; ${opens(url)}`
}

const closed = (url: URL) => `${nameOf(url)} is link-local or a metadata service, which ${never}`

const never = 'OUTBOUND_ALLOWED does not change'

const maxNameLength = 253

const nameOf = ({ hostname }: URL) => bareName(hostname).slice(0, maxNameLength)

function opens(url: URL): string {
  const port = usualPorts.has(portOf(url)) ? '' : `:${portOf(url)}`
  return `OUTBOUND_ALLOWED=${url.hostname.slice(0, maxNameLength)}${port} would open it`
}
