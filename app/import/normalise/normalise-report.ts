import { day } from '../../../schema/durations.ts'
import { type StoredType, storedTypeRows } from '../../../schema/report-types.ts'
import { emptyFields, type StoredReport, textLimits } from '../../../schema/stored-report.ts'
import { blockedResource } from './blocked-resource.ts'
import { readBrowser } from './browser.ts'
import { firstText } from './field-aliases.ts'
import { type Extract, extractors, fraction } from './field-extractors.ts'
import { issueKey } from './issue-key.ts'
import { isNoise } from './noise.ts'
import type { ReportElement } from './post.ts'
import { sampling } from './report-sampling.ts'
import { truncate } from './truncate.ts'
import { urlParts } from './url-parts.ts'

/** What a report's POST and its import say of it. */
export interface ReportOrigin {
  readonly tenantId: string
  readonly siteId: string
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly receivedAt: number
  readonly retentionDays: number
  /** The collector's, (0, 1]. */
  readonly sampleRate: number
  /** The request's header, for reports that do not bring their own. */
  readonly userAgent: string
}

/** What the store's column holds: 49 days. */
const longestAge = 0xffff_ffff

/** One field of a type, with its source and its bound. */
interface FieldReader {
  readonly field: string
  readonly extract: Extract
  readonly names: readonly string[]
  readonly limit: number
}

const limits: Readonly<Record<string, number>> = textLimits

/** The mappings as lists, because a report visits every field of its type. */
const readers = new Map<string, readonly FieldReader[]>(
  Object.entries(storedTypeRows).map(([type, { body }]) => [
    type,
    Object.entries(body).map(([field, [extractor, ...names]]) => {
      return { field, extract: extractors[extractor], names, limit: limits[field] ?? 0 }
    }),
  ]),
)

/** Whether reports of a type are stored at all. */
export function isStoredType(type: string): type is StoredType {
  return Object.hasOwn(storedTypeRows, type)
}

/** Whether a stored type's report is one that is only counted, such as a success among network errors. */
export function isSkipped(type: StoredType, { body, url }: ReportElement): boolean {
  const { only, never, needs } = storedTypeRows[type].stores ?? {}
  if (only && !only.values.includes(firstText(body, [only.member]))) return true
  if (never?.values.includes(firstText(body, [never.member]))) return true
  return needs !== undefined && extractors[needs[0]](body, needs.slice(1), url) === ''
}

/** The URL whose host chooses the site: the report's own, or its document where it has none (legacy CSP). */
export function siteUrl({ url, body }: ReportElement): string {
  return url || firstText(body, ['documentUrl', 'documentUri'])
}

/** Makes the stored form of a report. Pure, and never throws, whatever a browser wrote. */
export function normaliseReport(type: StoredType, element: ReportElement, origin: ReportOrigin): StoredReport {
  const { body, url } = element
  const row = storedTypeRows[type]
  const report = emptyReport(type, origin)
  const fields = report as unknown as Record<string, unknown>
  for (const { field, extract, names, limit } of readers.get(type) ?? []) {
    const value = extract(body, names, url)
    // Words of an enumeration have no limit.
    fields[field] = limit > 0 && typeof value === 'string' ? truncate(value, limit) : value
  }
  const browser = readBrowser(element.userAgent || origin.userAgent)
  report.browserName = browser.browserName
  report.browserVersion = browser.browserVersion
  report.osName = browser.osName
  report.deviceType = browser.deviceType
  const { weight, sampleRate } = sampling(
    row.sampleRate ? fraction(body, row.sampleRate.slice(1), url) : origin.sampleRate,
  )
  report.weight = weight
  report.sampleRate = sampleRate
  report.ageMs = Math.round(Math.min(element.age, origin.retentionDays * day, longestAge))
  const document = urlParts(report.documentUrl)
  report.documentUrl = truncate(document.page, textLimits.documentUrl)
  report.documentHost = truncate(document.host, textLimits.documentHost)
  const blocked = blockedResource(report.blockedUrl, row.blocksHosts ?? false)
  report.blockedHost = truncate(blocked.host, textLimits.blockedHost)
  report.blockedOrigin = truncate(blocked.origin, textLimits.blockedOrigin)
  const request = urlParts(report.requestUrl)
  report.requestUrl = truncate(request.url, textLimits.requestUrl)
  report.requestOrigin = truncate(request.origin, textLimits.requestOrigin)
  const issue = issueKey(report)
  report.issueSubject = issue.issueSubject
  report.issueHost = truncate(issue.issueHost, textLimits.issueHost)
  report.noise = isNoise(report, row.blocksHosts)
  return report
}

function emptyReport(reportType: StoredType, origin: ReportOrigin): StoredReport {
  const { tenantId, siteId, receivedAt, id, retentionDays } = origin
  return { ...emptyFields, tenantId, siteId, reportType, receivedAt, id, retentionDays, deviceType: 'unknown' }
}
