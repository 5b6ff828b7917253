import { isLineError, parseLine } from '../../app/import/ndjson/line-error.ts'
import { isStoredType, normaliseReport } from '../../app/import/normalise/normalise-report.ts'
import { readElement, readPost } from '../../app/import/normalise/post.ts'
import type { UrlMask } from '../../app/import/normalise/url-mask.ts'
import type { StoredReport } from '../../schema/stored-report.ts'

const importTenantId = '11111111-1111-4111-8111-111111111111'
const importSiteId = '22222222-2222-4222-8222-222222222222'

/** The stored reports of one line, of types that are stored. Throws what the line or one of its reports is refused for. */
export function normalised(line: unknown, retentionDays = 60, maskUrl?: UrlMask): StoredReport[] {
  const post = readPost(parseLine(typeof line === 'string' ? line : JSON.stringify(line)))
  if (isLineError(post)) throw new Error(post.reason)
  return [...post.elements].flatMap((value) => {
    const element = readElement(value)
    if (isLineError(element)) throw new Error(element.reason)
    const { type } = element
    if (!isStoredType(type)) return []
    return normaliseReport(type, element, {
      tenantId: importTenantId,
      siteId: importSiteId,
      id: '019aa000-0000-7000-8000-000000000000',
      receivedAt: post.receivedAt ?? 0,
      retentionDays,
      sampleRate: post.sampleRate,
      userAgent: post.userAgent,
      maskUrl,
    })
  })
}

/** The stored form of one report of a type, on a page, with a body. */
export function normalisedBody(
  type: string,
  body: object,
  url = 'https://shop.example.test/cart?id=1',
  maskUrl?: UrlMask,
): StoredReport {
  const [report] = normalised([{ age: 0, type, url, user_agent: '', body }], undefined, maskUrl)
  if (!report) throw new Error(`${type} is not stored`)
  return report
}
