/** @module OUTBOUND_ALLOWED: hosts and ports that fetches may reach though they are not public. */

import { z } from 'zod'
import { parseUrl } from '../../../schema/parse-url.ts'
import { isClosedHost } from './addresses.ts'

export interface OutboundHost {
  /** Host in the form of URLs; `.a.example` matches any name below. */
  readonly hostname: string
  /** A number, `*` for any, undefined for the usual ones. */
  readonly port: string | undefined
}

/** Ports that a public host is fetched on. */
export const usualPorts: ReadonlySet<string> = new Set(['80', '443', '8080', '8443'])

const syntax = /^(\*\.)?([^\s:/?#@\\[\]*]+|\[[0-9a-f:.]+\])(?::([1-9]\d{0,4}|\*))?$/i

/** Without trailing dots, which DNS ignores, and the brackets of an IPv6 address. */
export const bareName = (hostname: string): string => hostname.replace(/^\[|\]$|\.+$/g, '')

/** `host`, `*.host`, either with a port or `*`. */
export const outboundHost = z.string().transform((text, context): OutboundHost => {
  const [, wildcard, host = '', port] = syntax.exec(text) ?? []
  const hostname = parseUrl(`http://${host}`)?.hostname
  if (hostname && isClosedHost(bareName(hostname))) {
    const message = `must not contain ${hostname}: link-local addresses and metadata services cannot be allowed`
    context.addIssue({ code: 'custom', message })
    return z.NEVER
  }
  if (hostname && !hostname.startsWith('.') && !(Number(port) > 65_535)) {
    return { hostname: wildcard ? `.${hostname}` : hostname, port }
  }
  context.addIssue({ code: 'custom' })
  return z.NEVER
})

export const portOf = ({ port, protocol }: URL): string => port || (protocol === 'https:' ? '443' : '80')

export const isOutboundAllowed = (allowed: readonly OutboundHost[], url: URL): boolean =>
  allowed.some(({ hostname, port = '' }) => {
    const isHost = hostname.startsWith('.') ? url.hostname.endsWith(hostname) : url.hostname === hostname
    return isHost && (port === '' ? usualPorts.has(portOf(url)) : port === '*' || port === portOf(url))
  })
