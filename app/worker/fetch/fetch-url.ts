/** @module One fetch of a page or script: redirects by hand, each checked, and bounds on time and bytes. */

import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { connect, isIP, type Socket } from 'node:net'
import { Duplex, pipeline } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import { parseUrl } from '../../../schema/parse-url.ts'
import { connectOptions } from './connect-options.ts'
import { FetchFailure, toFetchFailure } from './fetch-failure.ts'
import type { Guard } from './guard.ts'
import { type Hop, linesOf } from './hop.ts'
import { portOf } from './outbound-hosts.ts'
import { acceptedEncodings, type BodyBytes, readBody } from './read-body.ts'
import { tolerantHead } from './tolerant-head.ts'
import { withDeadline } from './with-deadline.ts'

export interface FetchLimits {
  /** Limit for connecting, for the response's headers, and between its chunks. */
  readonly idleMs: number
  /** Limit for all redirects and the body. */
  readonly totalMs: number
  readonly maxBytes: number
}

export interface FetchOptions {
  readonly guard: Guard
  /** Ends the fetch, which then throws its reason. */
  readonly signal: AbortSignal
  readonly limits: FetchLimits
  /** Headers of the next request, with lower-case names. @param hops before it. */
  readonly requestHeaders: (next: URL, hops: readonly Hop[]) => Readonly<Record<string, string>>
  /** Called before the body is read; it can throw a FetchFailure. */
  readonly onResponse?: (hop: Hop) => void
  readonly onChunk: (chunk: Buffer, at: number) => void
}

export interface Fetched extends BodyBytes {
  readonly hops: readonly Hop[]
  readonly last: Hop
}

const maxRedirects = 10
const maxHeaderBytes = 64 * 1024

/** Maximum in a scan's record. */
const maxUrlLength = 8_192

/** Throws FetchFailure with the hops that had a response. */
export async function fetchUrl(start: URL, options: FetchOptions): Promise<Fetched> {
  const hops: Hop[] = []
  const { signal: outer, limits } = options
  return withDeadline(limits.totalMs, outer, async (signal) => {
    try {
      return await follow(start, hops, { ...options, signal })
    } catch (error) {
      outer.throwIfAborted()
      const failure = toFetchFailure(signal.aborted ? signal.reason : error)
      failure.hops = hops
      throw failure
    }
  })
}

async function follow(start: URL, hops: Hop[], options: FetchOptions): Promise<Fetched> {
  for (let url = start; ; ) {
    const response = await request(url, hops, options)
    if ('last' in response) return { hops, ...response }
    if (hops.length > maxRedirects) {
      throw new FetchFailure('too_many_redirects', `There were more than ${maxRedirects} redirects`)
    }
    url = response
  }
}

/**
 * The redirect target or the last response. Uses a separate connection, so that no fetch reuses a connection whose
 * address another fetch had checked.
 */
async function request(url: URL, hops: Hop[], options: FetchOptions): Promise<URL | Omit<Fetched, 'hops'>> {
  const { guard, limits, signal, onResponse, onChunk } = options
  guard.check(url)
  const requestHeaders = options.requestHeaders(url, hops)
  const socket = openSocket(url, options)
  const sent = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, {
    headers: { 'accept-encoding': acceptedEncodings, ...requestHeaders },
    createConnection: () => withTolerantHead(socket),
    // Accepts control characters in values; `withTolerantHead` repairs other faults.
    insecureHTTPParser: true,
    maxHeaderSize: maxHeaderBytes,
  })
  const stop = () => socket.destroy()
  signal.addEventListener('abort', stop)
  let late: FetchFailure | undefined
  socket.setTimeout(limits.idleMs, () => {
    late = new FetchFailure('timeout', 'The response was not complete in time')
    socket.destroy()
  })
  try {
    const response = await withDeadline(limits.idleMs, signal, (inTime) => responseTo(sent.end(), inTime))
    // Ending it with `destroy` is not an error.
    response.on('error', () => {})
    const { statusCode = 0, rawHeaders } = response
    const hop = { url, statusCode, headers: headerLines(rawHeaders), originSent: requestHeaders.origin ?? null }
    hops.push(hop)
    const next = redirectOf(hop)
    if (next) return next
    onResponse?.(hop)
    const read = { maxBytes: limits.maxBytes, onChunk }
    return { last: hop, ...(await readBody(response, linesOf(hop, 'content-encoding'), read)) }
  } catch (error) {
    throw late ?? error
  } finally {
    signal.removeEventListener('abort', stop)
    sent.destroy()
    socket.destroy()
  }
}

/** Over HTTP/2 repeated headers arrive joined, which would be another value. */
function openSocket(url: URL, { guard, limits }: FetchOptions): Socket {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const target = { host, port: Number(portOf(url)), ...connectOptions(guard, url, limits.idleMs) }
  if (url.protocol === 'http:') return connect(target)
  return connectTls({ ...target, ALPNProtocols: ['http/1.1'], ...(isIP(host) === 0 && { servername: host }) })
}

function withTolerantHead(socket: Socket): Duplex {
  const head = tolerantHead(maxHeaderBytes)
  return Duplex.from({ readable: pipeline(socket, head, () => {}), writable: socket })
}

const responseTo = (sent: ClientRequest, signal: AbortSignal): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    sent.on('response', resolve).on('error', reject)
    signal.addEventListener('abort', () => reject(signal.reason))
  })

const headerLines = (raw: readonly string[]): Hop['headers'] =>
  raw.flatMap((name, at) => (at % 2 === 0 ? [[name.toLowerCase(), raw[at + 1] ?? ''] as const] : []))

/** Undefined without a usable Location. */
function redirectOf(hop: Hop): URL | undefined {
  const [location] = linesOf(hop, 'location')
  if (location === undefined || ![301, 302, 303, 307, 308].includes(hop.statusCode)) return undefined
  // Node decodes each byte as a character, but the header is UTF-8.
  const next = parseUrl(Buffer.from(location, 'latin1').toString(), hop.url.href)
  if (!next || next.href.length > maxUrlLength) return undefined
  next.hash = ''
  return next
}
