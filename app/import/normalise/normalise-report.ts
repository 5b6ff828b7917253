/** @module Makes the stored form of a report from its body, its POST and its import. */

import { dayMs } from '../../../schema/durations.ts'
import { type StoredType, storedTypeRows } from '../../../schema/report-types.ts'
import { emptyFields, type StoredReport, textLimits, unitWeight } from '../../../schema/stored-report.ts'
import { blockedResource } from './blocked-resource.ts'
import { boundedJson } from './bounded-json.ts'
import { readBrowser } from './browser.ts'
import { firstText } from './field-aliases.ts'
import { type Extract, extractors, fraction } from './field-extractors.ts'
import { issueKey } from './issue-key.ts'
import { isNoise } from './noise.ts'
import type { ReportElement } from './post.ts'
import { truncate } from './truncate.ts'
import { urlComponents } from './url-components.ts'
import { maskText, type UrlMask } from './url-mask.ts'

export interface ReportOrigin {
  readonly tenantId: string
  readonly siteId: string
  readonly id: string
  readonly receivedAt: number
  readonly retentionDays: number
  /** Rate of the collector, (0, 1], for types that browsers do not sample. */
  readonly sampleRate: number
  /** Share of the site's reports that is stored, (0, 1]; 1 by default. */
  readonly share?: number
  /** Header of the POST, for reports without their own. */
  readonly userAgent: string
  /** Mask of the site's URLs; undefined to store them whole. */
  readonly maskUrl?: UrlMask | undefined
}

/** Range of the column: 49 days. */
const maxAgeMs = 0xffff_ffff

interface MappedField {
  readonly field: string
  readonly extract: Extract
  readonly names: readonly string[]
  readonly limit: number
  readonly mask: ((value: string, maskUrl: UrlMask) => string) | undefined
}

const maskPairs = (json: string, maskUrl: UrlMask) =>
  json && boundedJson(new Map(Object.entries(JSON.parse(json))), textLimits.context, maskUrl)

const maskWhole = (value: string, maskUrl: UrlMask) => maskUrl(value)

/** Fields with URLs of visitors, and texts with URLs; blockedUrl depends on the resource. */
const masks: Readonly<Record<string, MappedField['mask']>> = {
  documentUrl: maskWhole,
  referrer: maskWhole,
  requestUrl: maskWhole,
  message: maskText,
  stack: maskText,
  context: maskPairs,
}

const limits: Readonly<Record<string, number>> = textLimits

/** Report mappings as lists, because a report visits every field of its type. */
const mappings = new Map<string, readonly MappedField[]>(
  Object.entries(storedTypeRows).map(([type, { body }]) => [
    type,
    Object.entries(body).map(([field, [extractor, ...names]]) => {
      // The worker loads a script from its URL.
      const mask = extractor === 'scriptRequestUrl' ? undefined : masks[field]
      return { field, extract: extractors[extractor], names, limit: limits[field] ?? 0, mask }
    }),
  ]),
)

export function isStoredType(type: string): type is StoredType {
  return Object.hasOwn(storedTypeRows, type)
}

/** True for a report that is only counted, such as a success among network errors. */
export function isSkipped(type: StoredType, { body, url }: ReportElement): boolean {
  const { only, never, requires } = storedTypeRows[type].stores ?? {}
  if (only && !only.values.includes(firstText(body, [only.member]))) return true
  if (never?.values.includes(firstText(body, [never.member]))) return true
  return requires !== undefined && extractors[requires[0]](body, requires.slice(1), url) === ''
}

/** URL that chooses the site; legacy CSP reports have only that of the document. */
export function siteUrl({ url, body }: ReportElement): string {
  return url || firstText(body, ['documentUrl', 'documentUri'])
}

/** Pure, and never throws. */
export function normaliseReport(type: StoredType, element: ReportElement, origin: ReportOrigin): StoredReport {
  const { body, url } = element
  const row = storedTypeRows[type]
  const { tenantId, siteId, receivedAt, id, retentionDays, maskUrl } = origin
  const ids = { tenantId, siteId, reportType: type, receivedAt, id, retentionDays }
  const report: StoredReport = { ...emptyFields, ...ids, deviceType: 'unknown' }
  const fields = report as unknown as Record<string, unknown>
  for (const { field, extract, names, limit, mask } of mappings.get(type) ?? []) {
    const value = extract(body, names, url)
    const isText = limit > 0 && typeof value === 'string'
    fields[field] = isText ? truncate(mask && maskUrl ? mask(value, maskUrl) : value, limit) : value
  }
  report.rest = boundedJson(element.rest, textLimits.rest, maskUrl)
  Object.assign(report, readBrowser(element.userAgent || origin.userAgent))
  const rate = row.sampleRate ? fraction(body, row.sampleRate.slice(1), url) : origin.sampleRate
  Object.assign(report, sampling(rate * (origin.share ?? 1)))
  report.ageMs = Math.round(Math.min(element.age, retentionDays * dayMs, maxAgeMs))
  const document = urlComponents(report.documentUrl)
  report.documentUrl = truncate(document.page, textLimits.documentUrl)
  report.documentHost = truncate(document.host, textLimits.documentHost)
  const blocked = blockedResource(report.blockedUrl, row.blocksHosts ?? false)
  report.blockedHost = truncate(blocked.host, textLimits.blockedHost)
  report.blockedOrigin = truncate(blocked.origin, textLimits.blockedOrigin)
  if (maskUrl) maskResource(report, maskUrl)
  const request = urlComponents(report.requestUrl)
  report.requestUrl = truncate(request.url, textLimits.requestUrl)
  report.requestOrigin = truncate(request.origin, textLimits.requestOrigin)
  const issue = issueKey(report)
  report.issueSubject = issue.issueSubject
  report.issueHost = truncate(issue.issueHost, textLimits.issueHost)
  const isNull = report.blockedUrl === '' && [body.blockedUrl, body.blockedUri].includes(null)
  report.noise = isNull || isNoise(report, row.blocksHosts)
  return report
}

/** Directives and destinations of scripts and styles. */
const ofCode = /^(?:(?:script|style|worker)-src|(?:script|style|xslt|\w*(?:worker|worklet))$)/

/** Scripts and styles are identified by their URLs; the source file of an inline script is the page. */
function maskResource(report: StoredReport, maskUrl: UrlMask): void {
  if (!ofCode.test(report.directive) && !ofCode.test(report.destination)) report.blockedUrl = maskUrl(report.blockedUrl)
  const source = report.sourceFile === '' ? '' : maskUrl(report.sourceFile)
  if (source === report.documentUrl.replace(/\?.*/s, '')) report.sourceFile = source
}

/** Bounds weights to 10^12 (schema/stored-report.ts). */
const lowestRate = 1e-6

/** @param rate (0, 1]; a rate that rounds to a weight of one report counts as 1. */
function sampling(rate: number): Pick<StoredReport, 'weight' | 'sampleRate'> {
  const sampleRate = Math.max(lowestRate, rate)
  const weight = Math.round(unitWeight / sampleRate)
  return weight === unitWeight ? { weight, sampleRate: 1 } : { weight, sampleRate }
}
