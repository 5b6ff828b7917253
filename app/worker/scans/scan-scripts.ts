import pLimit from 'p-limit'
import type { ScannedScript } from '../../../schema/responses/scanned-script.ts'
import { scriptUrl } from '../../../schema/rules/scripts/script-url.ts'
import { FetchFailure } from '../fetch/fetch-failure.ts'
import type { Hop } from '../fetch/hop.ts'
import { withDeadline } from '../fetch/with-deadline.ts'
import { corsVerdict, originSent } from './cors-verdict.ts'
import { fetchScript } from './fetch-script.ts'
import type { ScriptTag } from './page-markup.ts'
import type { ScanSettings } from './scan-settings.ts'

type Outcome = Pick<ScannedScript, 'outcome' | 'hash' | 'size' | 'problem' | 'cors'>

const unhashed = (outcome: Outcome['outcome'], reason: string, message: string): Outcome => ({
  outcome,
  hash: null,
  size: null,
  problem: { reason, message },
  cors: null,
})

/** Results in document order; each URL is fetched once. Throws the signal's reason. */
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
  const noUrl = unhashed('refused', 'no_url', 'Its src is not an http or https URL')
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
  settings: ScanSettings,
  { signal, inTime }: { readonly signal: AbortSignal; readonly inTime: AbortSignal },
): Promise<Outcome> {
  const { limits, keepScript } = settings
  const late = unhashed('skipped', 'time_limit', `The page's scripts took more than ${limits.allScriptsMs / 1000} s`)
  try {
    inTime.throwIfAborted()
    const originOf = (next: URL, before: readonly Hop[]) => originSent(page.origin, before, next)
    const script = await fetchScript(url, { ...settings, signal: inTime, originOf })
    await keepScript?.(script)
    const { hash, size, hops } = script
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
