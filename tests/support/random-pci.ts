import { documents, paymentPatterns } from '../../fixtures/known-scripts.ts'
import {
  randomDecisions,
  randomScriptReports,
  randomScriptScans,
  scriptHashesOf,
} from '../../fixtures/random-scripts.ts'
import { completeScan, failedScan, headerSpellings, type ScanRecord, sending } from '../../fixtures/scans.ts'
import { type Seeded, seeded } from '../../fixtures/seeded.ts'
import { dayMs } from '../../schema/durations.ts'
import type { AlertDelivery } from '../../schema/responses/alert-delivery.ts'
import type { PageRecord } from '../../schema/responses/monitored-page.ts'
import type { StoredReport } from '../../schema/stored-report.ts'
import type { RuleRecord } from '../oracles/pci-evidence-oracle.ts'
import type { PciRecords } from './pci-tenants.ts'

/** What to make of a tenant with four sites. */
export interface RandomPci {
  readonly seed: number
  readonly now: number
  /** The site's own number of days, for records at and beside where its windows begin. */
  readonly retentionDays: number
  /** Whether anything was decided about a script. */
  readonly decides: boolean
  /** Payment pages of each site. */
  readonly paymentPages: readonly number[]
}

const iso = (time: number) => new Date(time).toISOString()

/** Times of the last 100 days, often a bound of a window and the millisecond beside it. */
function timesOf(random: Seeded, { now, retentionDays }: RandomPci): () => number {
  const begins = (Math.floor(now / dayMs) - retentionDays) * dayMs
  const bounds = [now, begins, now - 7 * dayMs, now - 30 * dayMs].flatMap((bound) => [bound - 1, bound, bound + 1])
  const past = bounds.filter((time) => time < now && time > now - 100 * dayMs)
  return () => (random.chance(0.2) ? random.pick(past) : now - Math.ceil(100 * dayMs * random.next() ** 2))
}

/** Pages, with ids that depend on the seed only. */
function pagesOf(random: Seeded, siteIds: readonly string[], { paymentPages }: RandomPci): PageRecord[] {
  return siteIds.flatMap((siteId, site) =>
    Array.from({ length: 5 }, (_, page) => {
      const kind = page < (paymentPages[site] ?? 0) ? ('payment' as const) : ('other' as const)
      return {
        id: `00000000-0000-4000-8000-0000000${site}000${page}`,
        siteId,
        kind,
        label: random.pick(['Checkout', 'O’Hara & Söhne', '<pay>']),
        pattern: random.pick(paymentPatterns),
        scanUrl: 'https://shop.example.test/checkout?scan=1',
        position: random.below(4),
      }
    }),
  )
}

/** Scripts that no browser reported the hash of. */
const lackedScripts = ['https://px.metrics.test/1.js', 'https://px.metrics.test/2.js', 'https://shop.example.test/3.js']

/** Sightings, violations and other reports; some sites report no violation, and some none that names a script. */
function reportsOf(random: Seeded, rows: readonly StoredReport[], time: () => number): StoredReport[] {
  const siteIds = [...new Set(rows.map(({ siteId }) => siteId))]
  const [quiet, scriptless] = [0.3, 0.3].map((share) => new Set(siteIds.filter(() => random.chance(share))))
  return rows.map((row) => {
    const violates = row.reportType === 'integrity-violation'
    const named = violates && random.chance(0.3) ? random.pick(lackedScripts) : row.scriptUrl
    const scriptUrl = violates && scriptless?.has(row.siteId) ? '' : named
    const reportType = random.pickSkewed(['csp-violation', 'network-error'] as const)
    const other = { reportType, scriptUrl: '', scriptHash: '', reportedHash: '' }
    const isOther = random.chance(0.25) || (violates && quiet?.has(row.siteId))
    return { ...row, scriptUrl, ...(isOther && other), receivedAt: time() }
  })
}

/** Three headers of which a page sends one, some or none, each in one of two spellings or another value. */
const spellings = (['content-security-policy', 'x-frame-options', 'strict-transport-security'] as const).map(
  (header) => [header, headerSpellings[header].slice(0, 2)] as const,
)

function headersOf(random: Seeded): ScanRecord['headers'] {
  const sent = spellings.flatMap(([header, values]) =>
    random.chance(0.3) ? [] : [[header, random.pick(random.pickSkewed(values))] as const],
  )
  return random.chance(0.4) ? sending({}) : sending(Object.fromEntries(sent))
}

const payment = 'https://shop.example.test/checkout/payment'
const refusals = [{}, { failureReason: 'access_denied', statusCode: 401, finalUrl: payment }] as const

function scansOf(random: Seeded, found: readonly ScanRecord[], time: () => number): ScanRecord[] {
  return found.map(({ id, pageId, scripts, statusCode }) => {
    const named = { id, pageId, scannedAt: iso(time()), rubricVersion: random.pickSkewed([1, 1, 1, 2]) }
    if (random.chance(0.2)) return failedScan({ ...named, ...random.pick(refusals) })
    const finalUrl = random.pickSkewed([payment, `${payment}/?a=1`, random.pick(documents).url || null, null])
    const grade = random.pickSkewed(['B', 'A', 'C', 'A+', 'F'] as const)
    return completeScan({ ...named, grade, headers: headersOf(random), scripts, statusCode, finalUrl })
  })
}

const eventTypes = ['page.headers_changed', 'page.grade_dropped', 'script.changed', 'csp.new_issue'] as const
const destinations = ['on-call', 'web-team'] as const

function rulesOf(random: Seeded, siteIds: readonly string[]): RuleRecord[] {
  return Array.from({ length: 10 }, (_, index) => ({
    id: `rule-${index}`,
    siteId: random.pick([...siteIds, null]),
    eventType: random.pick(eventTypes),
    kind: random.pickSkewed(['immediate', 'digest'] as const),
    destinationId: random.pickSkewed(destinations),
    enabled: random.chance(0.8),
  }))
}

/** Deliveries about many of the scans, in time and out of it, of every kind and outcome. */
function deliveriesOf(
  random: Seeded,
  scans: readonly ScanRecord[],
  pages: readonly PageRecord[],
  siteIds: readonly string[],
): AlertDelivery[] {
  return scans
    .filter(() => random.chance(0.9))
    .map(({ pageId, scannedAt }, index) => {
      const own = pages.find(({ id }) => id === pageId)?.siteId ?? null
      const kind = random.pickSkewed(['immediate', 'digest', 'test'] as const)
      const later = random.pick([0, 1, 3_600_000, dayMs, -1, dayMs + 1])
      // Some alerts went to two destinations.
      const alert = random.chance(0.2) ? index - 1 : index
      return {
        id: `delivery-${index}`,
        alertId: `alert-${alert}`,
        kind,
        outcome: random.pickSkewed(['delivered', 'rejected', 'dropped'] as const),
        detail: null,
        destination: { id: random.pick(destinations), name: 'On call', type: 'email' },
        eventType: random.pickSkewed(eventTypes),
        siteId: random.pickSkewed([own, random.pick([...siteIds, null])]),
        siteIds: kind === 'digest' ? [...siteIds] : [],
        summary: null,
        createdAt: iso(Date.parse(scannedAt) + later),
      }
    })
}

/** A tenant's records, which depend on the seed only. */
export function randomPci(given: RandomPci, tenantId: string, siteIds: readonly string[]): PciRecords {
  const { seed, now, decides } = given
  const random = seeded(seed)
  const time = timesOf(random, given)
  const span = { seed, tenantId, siteIds, hashes: scriptHashesOf(seed), from: new Date(now - 100 * dayMs) }
  const made = { ...span, to: new Date(now) }
  const pages = pagesOf(random, siteIds, given)
  // The first are scanned most: pages of every site.
  const pageIds = pages.map(({ id }) => id).sort((a, b) => (a.slice(-1) < b.slice(-1) ? -1 : 1))
  const scans = scansOf(random, randomScriptScans({ ...made, count: 60, pageIds }), time)
  const decisions = decides ? randomDecisions({ ...made, count: 60 }) : []
  return {
    pages,
    reports: reportsOf(random, randomScriptReports({ ...made, count: 140 }), time),
    scans,
    decisions: decisions.map((one) => ({ ...one, decidedAt: iso(time()) })),
    rules: rulesOf(random, siteIds),
    deliveries: deliveriesOf(random, scans, pages, siteIds),
  }
}
