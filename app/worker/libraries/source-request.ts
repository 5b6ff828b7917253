/** @module One request to a public source of libraries: to checked addresses or through a proxy, without redirects. */

import { Readable } from 'node:stream'
import { Agent, ProxyAgent } from 'undici'
import type { Config } from '../../config.ts'
import { connectOptions } from '../fetch/connect-options.ts'
import { FetchFailure } from '../fetch/fetch-failure.ts'
import { createGuard } from '../fetch/guard.ts'
import { readBody } from '../fetch/read-body.ts'
import { retryTime } from '../fetch/retry-time.ts'
import { withDeadline } from '../fetch/with-deadline.ts'

export type SourceSettings = ReturnType<typeof sourceSettings>

/** The proxy resolves and connects instead of this process, which still checks certificates. */
export const sourceSettings = ({ SCAN_USER_AGENT, LIBRARY_PROXY_URL }: Config, now = () => new Date()) =>
  ({ guard: createGuard([]), userAgent: SCAN_USER_AGENT, proxyUrl: LIBRARY_PROXY_URL, now }) as const

/** Limits of a response, which can have the hashes of 100,000 files. */
const [timeoutMs, maxBytes] = [30_000, 16 * 1024 * 1024]

/**
 * Parsed JSON of a GET, or of a POST with `query`. Throws SyntaxError without usable JSON about the library, and otherwise
 * FetchFailure or errors of the connection.
 */
export async function requestJson(
  url: URL,
  { guard, userAgent, proxyUrl, now }: SourceSettings,
  outer: AbortSignal,
  query?: object,
): Promise<unknown> {
  guard.check(url)
  const connect = connectOptions(guard, url, timeoutMs)
  const dispatcher = proxyUrl === undefined ? new Agent({ connect }) : new ProxyAgent(proxyUrl)
  const posted = query && { method: 'POST', body: JSON.stringify(query) }
  const sent = { ...posted, headers: { 'user-agent': userAgent, 'content-type': 'application/json' } }
  try {
    return await withDeadline(timeoutMs, outer, async (signal) => {
      // Node's own types of fetch have the dispatcher of another undici.
      const init = { ...sent, redirect: 'manual', signal, dispatcher } as unknown as RequestInit
      const { status, body, headers } = await fetch(url, init)
      const message = `The response has status ${status}`
      // An unknown library, or a package of more than 150 MB.
      if ([400, 403, 404].includes(status)) throw new SyntaxError(message)
      const retryAt = retryTime(headers.get('retry-after') ?? '', now())
      if (status !== 200 || !body) throw Object.assign(new FetchFailure('http_error', message), { retryAt })
      const chunks: Buffer[] = []
      const onChunk = (chunk: Buffer) => void chunks.push(chunk)
      const bytes = Readable.from(body as unknown as AsyncIterable<Buffer>)
      const { isCut } = await readBody(bytes, [], { maxBytes, onChunk })
      if (isCut) throw new SyntaxError(`The response has more than ${maxBytes} bytes`)
      return JSON.parse(Buffer.concat(chunks).toString())
    })
  } finally {
    await dispatcher.destroy()
  }
}
