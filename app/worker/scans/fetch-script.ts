import { createHash } from 'node:crypto'
import { FetchFailure } from '../fetch/fetch-failure.ts'
import { type FetchOptions, fetchUrl } from '../fetch/fetch-url.ts'
import type { Hop } from '../fetch/hop.ts'
import { isHtml } from './page-failure.ts'

export interface FetchedScript {
  readonly url: string
  /** URL of the response, after redirects. */
  readonly finalUrl: string
  /** sha256-<base64> of the decoded bytes. */
  readonly hash: string
  readonly size: number
  readonly chunks: readonly Buffer[]
  readonly hops: readonly Hop[]
}

interface ScriptOptions extends Pick<FetchOptions, 'guard' | 'signal'> {
  readonly userAgent: string
  readonly limits: Readonly<Record<'idleMs' | 'scriptMs' | 'scriptBytes', number>>
  /** Header Origin of a request; none by default. */
  readonly originOf?: (next: URL, before: readonly Hop[]) => string | null
}

/** Throws FetchFailure, or the signal's reason. */
export async function fetchScript(
  url: URL,
  { guard, signal, userAgent, limits, originOf = () => null }: ScriptOptions,
): Promise<FetchedScript> {
  const digest = createHash('sha256')
  const chunks: Buffer[] = []
  const { hops, last, size, isCut } = await fetchUrl(url, {
    guard,
    signal,
    limits: { idleMs: limits.idleMs, totalMs: limits.scriptMs, maxBytes: limits.scriptBytes },
    requestHeaders: (next, before) => {
      const origin = originOf(next, before)
      return { 'user-agent': userAgent, accept: '*/*', ...(origin !== null && { origin }) }
    },
    onResponse: requireScript,
    onChunk(chunk) {
      digest.update(chunk)
      chunks.push(chunk)
    },
  })
  if (isCut) throw new FetchFailure('too_large', `The script has more than ${limits.scriptBytes} bytes`, hops)
  const hash = `sha256-${digest.digest('base64')}`
  return { url: url.href, finalUrl: last.url.href, hash, size, chunks, hops }
}

/** Browsers run no script with another status; login walls and typing errors return a page instead. */
function requireScript(hop: Hop): void {
  const isOk = hop.statusCode >= 200 && hop.statusCode < 300
  if (!isOk) throw new FetchFailure('http_error', `The response has status ${hop.statusCode}`)
  if (isHtml(hop)) throw new FetchFailure('html_response', 'The response is a page, not a script')
}
