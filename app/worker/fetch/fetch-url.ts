/** @module One fetch of a page or script: redirects by hand, each checked, and bounds on time and bytes. */

import { Client } from 'undici'
import { parseUrl } from '../../../schema/parse-url.ts'
import { connectOptions } from './connect-options.ts'
import { FetchFailure, toFetchFailure } from './fetch-failure.ts'
import type { Guard } from './guard.ts'
import { type Hop, linesOf } from './hop.ts'
import { acceptedEncodings, type BodyBytes, readBody } from './read-body.ts'
import { withDeadline } from './with-deadline.ts'

export interface FetchLimits {
  /** Of a connection, of the response's headers, and between its chunks. */
  readonly idleMs: number
  /** Of all redirects and the body. */
  readonly totalMs: number
  readonly maxBytes: number
}

export interface FetchOptions {
  readonly guard: Guard
  /** Ends the fetch, which then throws its reason. */
  readonly signal: AbortSignal
  readonly limits: FetchLimits
  /** Of the next request, names in lower case. @param hops those before it. */
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

/** Of a scan's record. */
const maxUrlLength = 8_192

/** Throws FetchFailure, with the hops that had a response. */
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
 * Where it redirects to, or the last response. On a connection of its own, so that no fetch reuses a connection whose
 * address another fetch had checked.
 */
async function request(url: URL, hops: Hop[], options: FetchOptions): Promise<URL | Omit<Fetched, 'hops'>> {
  const { guard, limits, signal, onResponse, onChunk } = options
  guard.check(url)
  const client = new Client(url.origin, {
    connect: connectOptions(guard, url, limits.idleMs),
    headersTimeout: limits.idleMs,
    bodyTimeout: limits.idleMs,
    maxHeaderSize: maxHeaderBytes,
    // Over HTTP/2 repeated headers arrive joined, which would be another value.
    allowH2: false,
  })
  try {
    const requestHeaders = options.requestHeaders(url, hops)
    const { statusCode, headers, body } = await client.request({
      path: url.pathname + url.search,
      method: 'GET',
      headers: { 'accept-encoding': acceptedEncodings, ...requestHeaders },
      signal,
      responseHeaders: 'raw',
    })
    // Its end by `destroy` is no error of anyone.
    body.on('error', () => {})
    const hop = { url, statusCode, headers: headerLines(headers), originSent: requestHeaders.origin ?? null }
    hops.push(hop)
    const next = redirectOf(hop)
    if (next) {
      body.destroy()
      return next
    }
    onResponse?.(hop)
    const read = { maxBytes: limits.maxBytes, onChunk }
    return { last: hop, ...(await readBody(body, linesOf(hop, 'content-encoding'), read)) }
  } finally {
    await client.destroy()
  }
}

/** undici's types have an object; `raw` makes it a list of names and values. */
function headerLines(raw: unknown): Hop['headers'] {
  const list = raw as readonly string[]
  return list.flatMap((name, at) => (at % 2 === 0 ? [[name.toLowerCase(), list[at + 1] ?? ''] as const] : []))
}

/** Undefined without a usable Location. */
function redirectOf(hop: Hop): URL | undefined {
  const [location] = linesOf(hop, 'location')
  if (location === undefined || ![301, 302, 303, 307, 308].includes(hop.statusCode)) return undefined
  // Its bytes, of which undici makes a character each, are UTF-8.
  const next = parseUrl(Buffer.from(location, 'latin1').toString(), hop.url.href)
  if (!next || next.href.length > maxUrlLength) return undefined
  next.hash = ''
  return next
}
