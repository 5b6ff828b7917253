import { randomUUID } from 'node:crypto'
import type { DecisionRecord } from '../../fixtures/random-scripts.ts'
import { aReport } from '../../fixtures/reports.ts'
import { completeScan, failedScan } from '../../fixtures/scans.ts'
import { dayMs, hourMs } from '../../schema/durations.ts'
import type { Plan } from '../../schema/plans.ts'
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
  /** Scripts reported without integrity metadata, by document. */
  readonly unprotected?: Readonly<Record<string, string>>
  /** Events, or rules that do not count. */
  readonly rules?: readonly (string | object)[]
}

const decidedAgo = 5 * dayMs
const both = ['page.headers_changed', 'page.grade_dropped']
const elsewhere = { 'tracker.js': 'https://shop.example.test/cart' }

/** A site without any gap. */
export const ready: PciScenario = {
  plan: 'business',
  pages: [[2 * hourMs], [dayMs]],
  seen: { 'app.js': hourMs, 'pay.js': dayMs },
  decided: { 'app.js': 'authorized', 'pay.js': 'authorized' },
  unprotected: elsewhere,
  rules: both,
}
const noRules = ['no_rule page.headers_changed', 'no_rule page.grade_dropped']

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
    ['partial', 'unprotected_scripts 2'],
    ['met'],
  ],
  [
    'no report of an integrity violation',
    { ...ready, plan: 'enterprise', unprotected: {} },
    ['partial', 'integrity_unmeasured 2'],
    ['met'],
  ],
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
    ['partial', 'no_rule page.grade_dropped'],
  ],
  [
    'rules of digests, and rules that are switched off',
    { ...ready, rules: [...both.map((eventType) => ({ eventType, kind: 'digest' })), { enabled: false }] },
    ['met'],
    ['not_met', ...noRules],
  ],
]

const scriptUrl = (file: string) => `https://shop.example.test/js/${file}`

/** What is stored of it. */
export function scenarioRecords(
  { pages, seen = {}, seenElsewhere = [], decided = {}, unprotected = {}, rules = [] }: PciScenario,
  { tenantId, siteId, now }: { readonly tenantId: string; readonly siteId: string; readonly now: number },
): PciRecords {
  const ago = (time: number) => new Date(now - time).toISOString()
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
        const named = { id: randomUUID(), pageId: ids[index] ?? '', scannedAt: ago(Math.abs(age)) }
        return age < 0 ? failedScan(named) : completeScan(named)
      }),
    ),
    decisions: Object.entries(decided).map(([file, status]): DecisionRecord => {
      const integrityMode = status === 'authorized' ? ('any_content' as const) : null
      const said = { status, integrityMode, pinnedHashes: null, justification: null }
      const decidedBy = { name: null, email: 'ada@example.test' }
      return { id: randomUUID(), siteId, url: scriptUrl(file), ...said, decidedBy, decidedAt: ago(decidedAgo) }
    }),
    rules: rules.map((rule, index) => ({
      id: `${siteId}-${index}`,
      siteId,
      eventType: both[index % 2] ?? '',
      kind: 'immediate' as const,
      destinationId: 'on-call',
      enabled: true,
      ...(typeof rule === 'string' ? { eventType: rule } : rule),
    })),
    deliveries: [],
  }
}
