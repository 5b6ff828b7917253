import type { StoredReport } from '../../schema/stored-report.ts'
import { isLineError } from '../import/ndjson/line-error.ts'
import { isSkipped, isStoredType, normaliseReport, siteUrl } from '../import/normalise/normalise-report.ts'
import { elementsOf, readElement } from '../import/normalise/post.ts'
import { urlComponents } from '../import/normalise/url-components.ts'
import { CollectorError } from './collector-error.ts'
import type { ReportShares } from './report-shares.ts'
import type { CollectorSite } from './sites.ts'

/** Outcome of a report; only accepted reports are stored. */
export type Outcome = 'accepted' | 'sampled_out' | 'over_budget' | 'foreign_host' | 'skipped' | 'malformed'

export interface ReportContext {
  readonly site: CollectorSite
  readonly receivedAt: number
  readonly userAgent: string
  readonly makeId: (receivedAt: number) => string
  readonly shares: Pick<ReportShares, 'take'>
  /** Number from 0 to 1, exclusive. */
  readonly random: () => number
  /** @param type 'other' for a type that is not stored. */
  readonly onOutcome: (type: string, outcome: Outcome) => void
}

/** The elements of a body, each a report or not. Throws CollectorError(400) for a body without any. */
export function readElements(body: unknown): readonly unknown[] {
  const elements = elementsOf(body)
  if (isLineError(elements)) throw new CollectorError(400, 'bad_request', elements.reason)
  return elements
}

/** The reports to store. */
export const readReports = (elements: readonly unknown[], context: ReportContext): StoredReport[] =>
  elements.flatMap((value) => readReport(value, context))

function readReport(value: unknown, context: ReportContext): StoredReport[] {
  const { site, receivedAt, userAgent, makeId, shares, random, onOutcome } = context
  const drop = (type: string, outcome: Outcome) => {
    onOutcome(type, outcome)
    return []
  }
  const element = readElement(value)
  if (isLineError(element)) return drop('other', 'malformed')
  const { type } = element
  if (!isStoredType(type)) return drop('other', 'skipped')
  if (isSkipped(type, element)) return drop(type, 'skipped')
  if (isForeign(siteUrl(element), site)) return drop(type, 'foreign_host')
  const sampleRate = site.sampleRates[type] ?? 1
  const share = shares.take(site.id, type, site.reportsPerMinute, sampleRate)
  if (random() >= sampleRate * share) return drop(type, share < 1 ? 'over_budget' : 'sampled_out')
  onOutcome(type, 'accepted')
  const { id: siteId, tenantId, retentionDays, maskUrl } = site
  const ids = { tenantId, siteId, id: makeId(receivedAt) }
  return [normaliseReport(type, element, { ...ids, receivedAt, retentionDays, sampleRate, share, userAgent, maskUrl })]
}

/**
 * A document without a host belongs to the token's site: CSP3 (5.4) reports only the scheme of about:srcdoc, blob and
 * data.
 */
function isForeign(url: string, site: CollectorSite): boolean {
  // Older browsers send the whole URL, which contains the host.
  const { host } = urlComponents(url.replace(/^\s*(?:blob|filesystem):/i, ''))
  return host === '' ? /^\s*https?:/i.test(url) : !site.hasHost(host)
}
