import { randomUUID } from 'node:crypto'
import type { DecisionRecord } from '../../fixtures/random-scripts.ts'
import { aReport } from '../../fixtures/reports.ts'
import { fetches, scannedScript } from '../../fixtures/scanned-scripts.ts'
import { completeScan, failedScan, type ScanRecord, sending } from '../../fixtures/scans.ts'
import { dayMs, hourMs } from '../../schema/durations.ts'
import type { Plan } from '../../schema/plans.ts'
import type { AlertDelivery } from '../../schema/responses/alert-delivery.ts'
import { inventorySize } from '../../schema/scripts.ts'
import type { PciRecords } from './pci-tenants.ts'

const checkout = 'https://shop.example.test/checkout'

/** What happened on a site. Scripts are named by their file; times are ages in milliseconds. */
export interface PciScenario {
  readonly plan: Plan
  /** Ages of the complete scans of each payment page, a failed one as its negative. */
  readonly pages: readonly (readonly number[])[]
  /** Scripts reported from a payment page, by age. */
  readonly seen?: Readonly<Record<string, number>>
  /** Scripts reported from another page. */
  readonly seenElsewhere?: readonly string[]
  readonly decided?: Readonly<Record<string, 'authorized' | 'rejected'>>
  /** Hashes that authorizations pin; by default they allow any content. */
  readonly pinned?: readonly string[]
  /** Age of the day by which each script is to be reviewed. */
  readonly reviewAge?: number
  /** Scripts reported without integrity metadata, by document. */
  readonly unprotected?: Readonly<Record<string, string>>
  /** Events, or rules that do not count. */
  readonly rules?: readonly (string | object)[]
  /** Results of scans of these ages. */
  readonly found?: Readonly<Record<number, Partial<ScanRecord>>>
  /** Tests of destinations by age; by default the one destination accepted a test a day ago. */
  readonly tests?: Readonly<Record<number, Pick<AlertDelivery, 'outcome'> & { readonly to?: string }>>
}

const decidedAgo = 5 * dayMs
const all = ['page.headers_changed', 'page.grade_dropped', 'script.changed']
const elsewhere = { 'tracker.js': 'https://shop.example.test/cart' }

/** A site without any gap. */
export const ready: PciScenario = {
  plan: 'business',
  pages: [[2 * hourMs], [dayMs]],
  seen: { 'app.js': hourMs, 'pay.js': dayMs },
  decided: { 'app.js': 'authorized', 'pay.js': 'authorized' },
  unprotected: elsewhere,
  rules: all,
}
const noRules = all.map((event) => `no_rule ${event}`)
const inline = (text: string) => ({ result: { inlineScripts: [{ hash: `sha256-${text}`, sample: text, count: 1 }] } })
const scriptUrl = (file: string) => `https://shop.example.test/js/${file}`
const tags = ['app.js', 'pay.js'].map((file) => scannedScript(scriptUrl(file), fetches.readable))
const pinned = tags.flatMap(({ hash }) => hash ?? [])
const framed = { headers: sending({ 'x-frame-options': 'deny' }) }

/** Each with the status and gaps of 6.4.3, then of 11.6.1. */
export const pciScenarios: readonly (readonly [
  name: string,
  given: PciScenario,
  scripts: string[],
  changes: string[],
])[] = [
  ['a site without any gap', ready, ['met'], ['met']],
  [
    'no payment page',
    { ...ready, pages: [], rules: [] },
    ['not_met', 'no_payment_pages'],
    ['not_met', 'no_payment_pages', ...noRules],
  ],
  [
    'the Team plan, with an old scan',
    { ...ready, plan: 'team', pages: [[8 * dayMs]], decided: {} },
    ['not_met', 'scripts_not_on_plan'],
    ['not_met', 'no_recent_scan 1'],
  ],
  ['no script seen', { ...ready, seen: {} }, ['not_met', 'no_scripts_seen'], ['met']],
  [
    'one script that nobody reviewed',
    { ...ready, decided: { 'app.js': 'authorized' } },
    ['partial', 'unreviewed_scripts 1'],
    ['met'],
  ],
  ['scripts that nobody reviewed', { ...ready, decided: {} }, ['not_met', 'unreviewed_scripts 2'], ['met']],
  [
    'a rejected script still running',
    { ...ready, decided: { 'app.js': 'rejected', 'pay.js': 'authorized' } },
    ['not_met', 'rejected_scripts_running 1'],
    ['met'],
  ],
  [
    'a rejected script seen elsewhere, that only an integrity violation names on a payment page',
    {
      ...ready,
      seen: { 'pay.js': dayMs },
      seenElsewhere: ['app.js'],
      decided: { 'app.js': 'rejected', 'pay.js': 'authorized' },
      unprotected: { 'app.js': checkout },
    },
    ['not_met', 'rejected_scripts_running 1', 'unprotected_scripts 1'],
    ['met'],
  ],
  [
    'a rejected script that loaded before the rejection, and that an integrity violation names since',
    {
      ...ready,
      seen: { 'app.js': decidedAgo + 1, 'pay.js': dayMs },
      decided: { 'app.js': 'rejected', 'pay.js': 'authorized' },
      unprotected: { 'app.js': checkout },
    },
    ['not_met', 'rejected_scripts_running 1', 'unprotected_scripts 1'],
    ['met'],
  ],
  [
    'a rejected script last seen at the moment of the rejection',
    {
      ...ready,
      seen: { 'app.js': decidedAgo, 'pay.js': hourMs },
      decided: { 'app.js': 'rejected', 'pay.js': 'authorized' },
    },
    ['met'],
    ['met'],
  ],
  [
    'scripts without integrity metadata, one of them unknown to the inventory',
    { ...ready, unprotected: { 'app.js': checkout, 'new.js': checkout } },
    ['partial', 'unprotected_scripts 2', 'unpinned_scripts'],
    ['met'],
  ],
  [
    'no report of an integrity violation',
    { ...ready, plan: 'enterprise', unprotected: {} },
    ['partial', 'integrity_unmeasured 2', 'unpinned_scripts'],
    ['met'],
  ],
  [
    'no report of an integrity violation, and scans that found the authorized bytes since then',
    { ...ready, unprotected: {}, pinned, found: { [2 * hourMs]: { scripts: tags }, [dayMs]: { scripts: tags } } },
    ['met'],
    ['met'],
  ],
  [
    'no report of an integrity violation, and one page without scans that found the authorized bytes',
    {
      ...ready,
      unprotected: {},
      pinned,
      found: { [2 * hourMs]: { scripts: tags }, [dayMs]: { scripts: tags.slice(0, 1) } },
    },
    ['partial', 'integrity_unmeasured 1'],
    ['met'],
  ],
  [
    'authorizations that were to be reviewed yesterday',
    { ...ready, reviewAge: dayMs },
    ['partial', 'review_overdue'],
    ['met'],
  ],
  ['authorizations to review today', { ...ready, reviewAge: 0 }, ['met'], ['met']],
  [
    'more scripts than one read returns',
    {
      ...ready,
      plan: 'professional',
      seen: Object.fromEntries(Array.from({ length: inventorySize + 1 }, (_, at) => [`${at}.js`, hourMs])),
      decided: {},
    },
    ['not_met', 'inventory_truncated', `unreviewed_scripts ${inventorySize}`],
    ['met'],
  ],
  [
    'one page not scanned in 7 days',
    { ...ready, pages: [[1], [7 * dayMs], [7 * dayMs - 1, 8 * dayMs]] },
    ['met'],
    ['partial', 'no_recent_scan 1'],
  ],
  [
    'pages whose latest scans failed, and one never scanned',
    { ...ready, pages: [[-hourMs, 9 * dayMs], []] },
    ['met'],
    ['not_met', 'no_recent_scan 2'],
  ],
  [
    'no rule of one of the events',
    { ...ready, rules: ['page.headers_changed', 'csp.new_issue'] },
    ['met'],
    ['partial', 'no_rule page.grade_dropped', 'no_rule script.changed'],
  ],
  [
    'rules of digests, and rules that are switched off',
    { ...ready, rules: [...all.map((eventType) => ({ eventType, kind: 'digest' })), { enabled: false }] },
    ['met'],
    ['not_met', ...noRules],
  ],
  [
    'a plan whose scans list no scripts, without a rule about them',
    { ...ready, plan: 'professional', rules: all.slice(0, 2) },
    ['met'],
    ['met'],
  ],
  [
    'payment pages that are gone',
    { ...ready, found: { [2 * hourMs]: { statusCode: 404 }, [dayMs]: { statusCode: 410 } } },
    ['met'],
    ['not_met', 'page_unavailable'],
  ],
  [
    'a payment page that redirects to the login of another host, beside a good one',
    { ...ready, found: { [dayMs]: { finalUrl: 'https://login.example.net/sign-in?next=checkout' } } },
    ['met'],
    ['partial', 'page_unavailable'],
  ],
  [
    'the only payment page that redirects to the login of another host',
    { ...ready, pages: [[dayMs]], found: { [dayMs]: { finalUrl: 'https://login.example.net/sign-in' } } },
    ['met'],
    ['not_met', 'page_unavailable'],
  ],
  [
    'the only payment page that denies access since a day',
    { ...ready, pages: [[-hourMs, dayMs]], found: { [hourMs]: { failureReason: 'access_denied', statusCode: 401 } } },
    ['met'],
    ['not_met', 'page_unavailable'],
  ],
  [
    'a redirect to a slash and a default port, and a page whose server failed once',
    {
      ...ready,
      pages: [[dayMs], [-hourMs, 2 * dayMs]],
      found: {
        [dayMs]: { finalUrl: 'https://shop.example.test:443/checkout/payment/?a=1' },
        [hourMs]: { failureReason: 'server_error', statusCode: 503 },
      },
    },
    ['met'],
    ['met'],
  ],
  [
    'more than seven days between two scans',
    {
      ...ready,
      pages: [
        [dayMs, 8 * dayMs + 1],
        [dayMs, 8 * dayMs],
      ],
    },
    ['met'],
    ['partial', 'scan_gap'],
  ],
  [
    'inline scripts that differ in the last three scans of one page, and in two of another',
    {
      ...ready,
      pages: [
        [dayMs, 2 * dayMs, 3 * dayMs, 4 * dayMs],
        [5 * dayMs, 6 * dayMs, 7 * dayMs],
      ],
      found: Object.fromEntries([1, 2, 3, 4, 5, 6, 7].map((days) => [days * dayMs, inline(`${days}`)])),
    },
    ['met'],
    ['partial', 'inline_not_comparable'],
  ],
  [
    'a change of six days ago that nobody was alerted of',
    { ...ready, pages: [[6 * dayMs, 7 * dayMs]], found: { [6 * dayMs]: framed } },
    ['met'],
    ['partial', 'not_alerted'],
  ],
  [
    'a change of more than seven days ago that nobody was alerted of',
    {
      ...ready,
      pages: [[hourMs, 7 * dayMs + 1, 8 * dayMs]],
      found: { [hourMs]: framed, [7 * dayMs + 1]: framed },
    },
    ['met'],
    ['not_met', 'not_alerted'],
  ],
  [
    'the one destination rejected the latest delivery',
    { ...ready, tests: { [2 * dayMs]: { outcome: 'delivered' }, [hourMs]: { outcome: 'rejected' } } },
    ['met'],
    ['not_met', 'destination_failing'],
  ],
  [
    'one of two destinations was removed',
    {
      ...ready,
      rules: [...all, { destinationId: 'removed' }],
      tests: { [dayMs]: { outcome: 'delivered' }, [hourMs]: { outcome: 'dropped', to: 'removed' } },
    },
    ['met'],
    ['partial', 'destination_failing'],
  ],
  [
    'a destination that accepted nothing for 31 days',
    { ...ready, tests: { [31 * dayMs]: { outcome: 'delivered' } } },
    ['met'],
    ['partial', 'destination_untested'],
  ],
  ['a destination that nothing was sent to', { ...ready, tests: {} }, ['met'], ['not_met', 'destination_untested']],
]

/** What is stored of it. */
export function scenarioRecords(
  {
    pages,
    seen = {},
    seenElsewhere = [],
    decided = {},
    pinned,
    reviewAge,
    unprotected = {},
    rules = [],
    found = {},
    tests,
  }: PciScenario,
  { tenantId, siteId, now }: { readonly tenantId: string; readonly siteId: string; readonly now: number },
): PciRecords {
  const ago = (time: number) => new Date(now - time).toISOString()
  const review = reviewAge === undefined ? {} : { reviewBy: ago(reviewAge).slice(0, 10) }
  const ids = pages.map(() => randomUUID())
  const report = (reportType: 'csp-hash' | 'integrity-violation', file: string, documentUrl: string, age: number) =>
    aReport({ tenantId, siteId, reportType, scriptUrl: scriptUrl(file), documentUrl, receivedAt: now - age })
  return {
    pages: ids.map((id, position) => {
      const page = { label: `Page ${position}`, pattern: checkout, scanUrl: checkout, position }
      return { id, siteId, kind: 'payment' as const, ...page }
    }),
    reports: [
      ...Object.entries(seen).map(([file, age]) => report('csp-hash', file, `${checkout}?step=1`, age)),
      ...seenElsewhere.map((file) => report('csp-hash', file, 'https://shop.example.test/', hourMs)),
      ...Object.entries(unprotected).map(([file, document]) => report('integrity-violation', file, document, hourMs)),
    ],
    scans: pages.flatMap((ages, index) =>
      ages.map((age) => {
        const scannedAt = ago(Math.abs(age))
        const named = { id: randomUUID(), pageId: ids[index] ?? '', scannedAt, ...found[Math.abs(age)] }
        return age < 0 ? failedScan(named) : completeScan(named as Parameters<typeof completeScan>[0])
      }),
    ),
    decisions: Object.entries(decided).map(([file, status]): DecisionRecord => {
      const mode = pinned ? ('pinned_hashes' as const) : ('any_content' as const)
      const integrityMode = status === 'authorized' ? mode : null
      const pinnedHashes = integrityMode && pinned ? [...pinned] : null
      const said = { status, integrityMode, pinnedHashes, justification: null, ...review }
      const decidedBy = { name: null, email: 'ada@example.test' }
      return { id: randomUUID(), siteId, url: scriptUrl(file), ...said, decidedBy, decidedAt: ago(decidedAgo) }
    }),
    rules: rules.map((rule, index) => ({
      id: `${siteId}-${index}`,
      siteId,
      eventType: all[index % all.length] ?? '',
      kind: 'immediate' as const,
      // Sites of a tenant share no destination.
      destinationId: siteId,
      enabled: true,
      ...(typeof rule === 'string' ? { eventType: rule } : rule),
    })),
    deliveries: Object.entries(tests ?? { [dayMs]: { outcome: 'delivered' as const } }).map(
      ([age, { outcome, to = siteId }]): AlertDelivery => ({
        id: randomUUID(),
        alertId: randomUUID(),
        kind: 'test',
        outcome,
        detail: null,
        destination: { id: to, name: 'On call', type: 'email' },
        eventType: null,
        siteId: null,
        siteIds: [],
        summary: null,
        createdAt: ago(Number(age)),
      }),
    ),
  }
}
