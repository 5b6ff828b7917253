/** @module Which addresses are of the public internet, and which no setting opens. */

import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

type Address = ReturnType<typeof ipaddr.parse>

/** Link-local, and metadata and control services of clouds, whose responses are credentials. */
const closedRanges = [
  '169.254.0.0/16',
  '168.63.129.16/32',
  '100.100.100.200/32',
  'fe80::/10',
  'fd00:ec2::/32',
  'fd20:ce::254/128',
].map((range) => ipaddr.parseCIDR(range))

const isIn = (address: Address, ranges: typeof closedRanges) =>
  ranges.some(([base, bits]) => base.kind() === address.kind() && address.match(base, bits))

/** The library calls `::7f00:1` and `4000::1` unicast as well. */
const globalUnicast = ['0.0.0.0/0', '2000::/3'].map((range) => ipaddr.parseCIDR(range))

/** @param text an address as resolvers write it. */
export function isPublicAddress(text: string): boolean {
  const address = ipaddr.parse(text)
  return address.range() === 'unicast' && isIn(address, globalUnicast) && !isClosedAddress(text)
}

export function isClosedAddress(text: string): boolean {
  const address = ipaddr.process(text)
  return [address, ...embedded(address)].some((one) => isIn(one, closedRanges))
}

const metadataNames = new Set([
  'metadata.google.internal',
  'metadata.goog',
  'instance-data',
  'instance-data.ec2.internal',
])

/** @param name a host in lower case, without the brackets of an IPv6 address and a dot at its end. */
export const isClosedHost = (name: string): boolean =>
  isIP(name) === 0 ? metadataNames.has(name) : isClosedAddress(name)

/**
 * Addresses embedded in an IPv6 address: at the start for 6to4; at the end for NAT64, SIIT and IPv4-compatible ones.
 */
function embedded(address: Address): Address[] {
  const bytes = address.toByteArray()
  if (bytes.length === 4) return []
  const start = address.range() === '6to4' ? 2 : 12
  return [ipaddr.fromByteArray(bytes.slice(start, start + 4))]
}
