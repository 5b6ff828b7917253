import { CookieJar } from 'tough-cookie'
import { moreHeaders, watchedHeaders } from '../../../schema/enumerations.ts'
import type { Scan } from '../../../schema/responses/scan.ts'
import { reportingHeaderNames } from '../../../schema/setup/setup-kinds.ts'
import { truncate } from '../../import/normalise/truncate.ts'
import { FetchFailure } from '../fetch/fetch-failure.ts'
import { fetchUrl } from '../fetch/fetch-url.ts'
import { type Hop, joinedHeader, linesOf } from '../fetch/hop.ts'
import { decodeHtml } from './decode-html.ts'
import { pageFailure } from './page-failure.ts'
import { noMarkup, type PageMarkup, readMarkup } from './page-markup.ts'
import { gradePage, rubricVersion } from './rubric.ts'
import { scanScripts } from './scan-scripts.ts'
import type { ScanSettings } from './scan-settings.ts'

/** A line of `import scans`. */
export type ScanRecord = Omit<Scan, 'consecutiveFailures' | 'changes'>

export interface PageToScan {
  readonly id: string
  readonly scanUrl: string
  /** A payment page on a plan with script authorization. */
  readonly listsScripts: boolean
}

export interface ScanOptions {
  readonly scanId: string
  readonly settings: ScanSettings
  readonly signal: AbortSignal
}

/** Throws only the signal's reason: a page that cannot be scanned is a failed scan. */
export async function scanPage(page: PageToScan, { scanId, settings, signal }: ScanOptions): Promise<ScanRecord> {
  signal.throwIfAborted()
  const { id: pageId, scanUrl } = page
  const identity = { id: scanId, pageId, scannedAt: new Date().toISOString(), scanUrl, rubricVersion }
  try {
    const record = { ...identity, ...(await completeScan(page, settings, signal)) }
    if (!isImportable(record)) throw new FetchFailure('too_large', 'The scan of the page is larger than 3 MB')
    return record
  } catch (error) {
    if (!(error instanceof FetchFailure)) throw error
    return { ...identity, ...failedScan(error) }
  }
}

type Headers = NonNullable<Scan['headers']>

/** UTF-16 units, as of a header of the response. */
const maxPolicyLength = 65_536

/** Undefined for the policies of a page that could not be parsed. */
function moreHeader(name: (typeof moreHeaders)[number], last: Hop, markup: PageMarkup): string | null | undefined {
  if (name !== 'content-security-policy-meta') return joinedHeader(last, name, '\n')
  return markup === noMarkup ? undefined : truncate(markup.policies.join('\n'), maxPolicyLength) || null
}

/** Parsers of the page cannot see them. */
const scriptsNote = 'Scans do not list scripts added by other scripts; csp-hash reports from browsers do'

async function completeScan(page: PageToScan, settings: ScanSettings, signal: AbortSignal) {
  const { last, text } = await fetchPage(page, settings, signal)
  const markup = await readMarkup(text, last.url, settings.limits.parseMs).catch((error) => {
    // Only a list of scripts must be complete.
    if (page.listsScripts || !(error instanceof FetchFailure)) throw error
    return noMarkup
  })
  const { grade, score, result } = gradePage(last, markup)
  const scripts = page.listsScripts ? await scanScripts(markup.scripts, last.url, settings, signal) : null
  return {
    status: 'complete',
    failureReason: null,
    failureMessage: null,
    grade,
    score,
    finalUrl: last.url.href,
    statusCode: last.statusCode,
    // Unchanged values: the import brings them into comparable form.
    headers: Object.fromEntries(watchedHeaders.map((name) => [name, joinedHeader(last, name, '\n')])) as Headers,
    result: {
      ...result,
      sources: markup.sources,
      moreHeaders: Object.fromEntries(moreHeaders.map((name) => [name, moreHeader(name, last, markup)])),
      reportingHeaders: Object.fromEntries(
        reportingHeaderNames.flatMap((name) => {
          const value = joinedHeader(last, name)
          return value === null ? [] : [[name, value]]
        }),
      ),
      ...(scripts && { scriptsNote, inlineScripts: markup.inlineScripts }),
    },
    scripts,
  } as const
}

function failedScan({ reason, message, hops }: FetchFailure) {
  const last = hops.at(-1)
  return {
    status: 'failed',
    failureReason: reason,
    failureMessage: message,
    finalUrl: last?.url.href ?? null,
    statusCode: last?.statusCode ?? null,
    grade: null,
    score: null,
    headers: null,
    result: null,
    scripts: null,
  } as const
}

/** Cookies of one fetch: some pages redirect to themselves until they receive theirs. */
function createCookies() {
  const jar = new CookieJar(undefined, { looseMode: true })
  return (next: URL, hops: readonly Hop[]): { readonly cookie?: string } => {
    const last = hops.at(-1)
    for (const line of last ? linesOf(last, 'set-cookie') : []) {
      jar.setCookieSync(line, last?.url.href ?? '', { ignoreError: true })
    }
    const cookie = jar.getCookieStringSync(next.href)
    return cookie === '' ? {} : { cookie }
  }
}

async function fetchPage({ scanUrl, listsScripts }: PageToScan, settings: ScanSettings, signal: AbortSignal) {
  const { guard, userAgent, limits } = settings
  const bytes = Buffer.alloc(listsScripts ? limits.paymentPageBytes : limits.otherPageBytes)
  const cookiesFor = createCookies()
  const { last, size, isCut } = await fetchUrl(new URL(scanUrl), {
    guard,
    signal,
    limits: { idleMs: limits.idleMs, totalMs: limits.pageMs, maxBytes: bytes.length },
    requestHeaders: (next, hops) => ({
      'user-agent': userAgent,
      accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
      ...cookiesFor(next, hops),
    }),
    onChunk: (chunk, at) => void chunk.copy(bytes, at),
  })
  const text = decodeHtml(bytes.subarray(0, size), joinedHeader(last, 'content-type') ?? '')
  const failure = pageFailure(last, text)
  if (failure) throw failure
  // A list of only part of the page would be incomplete evidence.
  if (isCut && listsScripts) throw new FetchFailure('too_large', `The page has more than ${bytes.length} bytes`, [last])
  return { last, text }
}

/** Limit of a line in the importer. */
const maxRecordBytes = 3 * 1024 * 1024

/** Checked in parts, because one script can be in the list 10,000 times. */
function isImportable({ scripts, ...rest }: ScanRecord): boolean {
  let bytes = 0
  for (const part of [rest, ...(scripts ?? [])]) {
    bytes += Buffer.byteLength(JSON.stringify(part)) + 1
    if (bytes > maxRecordBytes - 100) return false
  }
  return true
}
