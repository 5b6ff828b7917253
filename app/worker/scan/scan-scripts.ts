import { createHash } from 'node:crypto'
import pLimit from 'p-limit'
import { scriptUrl } from '../../../queries/rules/scripts/script-url.ts'
import type { ScannedScript } from '../../../schema/responses/scanned-script.ts'
import { FetchFailure } from '../fetch/fetch-failure.ts'
import { fetchUrl } from '../fetch/fetch-url.ts'
import type { Hop } from '../fetch/hop.ts'
import { withDeadline } from '../fetch/with-deadline.ts'
import { corsVerdict, originSent } from './cors-verdict.ts'
import { isHtml } from './page-failure.ts'
import type { ScriptTag } from './page-scripts.ts'
import type { ScanSettings } from './scan-settings.ts'

type Outcome = Pick<ScannedScript, 'outcome' | 'hash' | 'size' | 'problem' | 'cors'>

const unhashed = (outcome: Outcome['outcome'], reason: string, message: string): Outcome => ({
  ...{ outcome, hash: null, size: null },
  problem: { reason, message },
  cors: null,
})

/** In document order, each URL fetched once. Throws the signal's reason. */
export async function scanScripts(
  tags: readonly ScriptTag[],
  page: URL,
  settings: ScanSettings,
  signal: AbortSignal,
): Promise<ScannedScript[]> {
  const { scriptsFetched, scriptsAtOnce, allScriptsMs } = settings.limits
  const urls = [...new Map(tags.flatMap(({ url }) => (url ? [[url.href, url] as const] : []))).values()]
  const limit = pLimit(scriptsAtOnce)
  const fetched = urls.slice(0, scriptsFetched)
  const outcomes = new Map(
    await withDeadline(allScriptsMs, signal, (inTime) => {
      const scan = async (url: URL) => [url.href, await scanScript(url, page, settings, { signal, inTime })] as const
      return Promise.all(fetched.map((url) => limit(scan, url)))
    }),
  )
  const pastLimit = unhashed('skipped', 'page_limit', `Only ${scriptsFetched} scripts of a page are fetched`)
  const noUrl = unhashed('refused', 'no_url', 'Its src is no http or https URL')
  return tags.map(({ src, url, integrity }) => ({
    src,
    url: url?.href ?? null,
    identityUrl: scriptUrl(url?.href ?? '') || null,
    sameOrigin: url?.origin === page.origin,
    integrity,
    ...(url ? (outcomes.get(url.href) ?? pastLimit) : noUrl),
  }))
}

async function scanScript(
  url: URL,
  page: URL,
  { guard, userAgent, limits }: ScanSettings,
  { signal, inTime }: { readonly signal: AbortSignal; readonly inTime: AbortSignal },
): Promise<Outcome> {
  const late = unhashed('skipped', 'time_limit', `The page's scripts took more than ${limits.allScriptsMs / 1000} s`)
  const digest = createHash('sha256')
  try {
    inTime.throwIfAborted()
    const { hops, size, isCut } = await fetchUrl(url, {
      guard,
      signal: inTime,
      limits: { idleMs: limits.idleMs, totalMs: limits.scriptMs, maxBytes: limits.scriptBytes },
      requestHeaders: (next, before) => {
        const origin = originSent(page.origin, before, next)
        return { 'user-agent': userAgent, accept: '*/*', ...(origin !== null && { origin }) }
      },
      onResponse: requireScript,
      onChunk: (chunk) => void digest.update(chunk),
    })
    if (isCut) throw new FetchFailure('too_large', `The script is over ${limits.scriptBytes} bytes`, hops)
    const hash = `sha256-${digest.digest('base64')}`
    return { outcome: 'hashed', hash, size, problem: null, cors: corsVerdict(hops) }
  } catch (error) {
    signal.throwIfAborted()
    if (inTime.aborted) return late
    if (!(error instanceof FetchFailure)) throw error
    const { reason, message, hops } = error
    if (reason === 'not_allowed') return unhashed('refused', reason, message)
    return { ...unhashed('failed', reason, message), cors: corsVerdict(hops) }
  }
}

/** Browsers run no script of another status; a page in its place is what login walls and typing errors give. */
function requireScript(hop: Hop): void {
  const isOk = hop.statusCode >= 200 && hop.statusCode < 300
  if (!isOk) throw new FetchFailure('http_error', `The response has status ${hop.statusCode}`)
  if (isHtml(hop)) throw new FetchFailure('html_response', 'The response is a page and no script')
}
