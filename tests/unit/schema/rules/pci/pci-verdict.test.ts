import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dayMs } from '../../../../../schema/durations.ts'
import {
  type ChangeEvidence,
  judgeChanges,
  judgeScripts,
  type ScriptEvidence,
} from '../../../../../schema/rules/pci/pci-verdict.ts'

type Script = ScriptEvidence['scripts'][number]

const script = (given: Partial<Script> = {}): Script => ({
  status: 'authorized',
  coverage: 'protected',
  stillRunning: false,
  integrityMode: 'pinned_hashes',
  reviewOverdue: false,
  isScanned: false,
  ...given,
})

const scripts = (given: Partial<ScriptEvidence> = {}): ScriptEvidence => ({
  paymentPages: 1,
  onPlan: true,
  truncated: false,
  scripts: [script(), script()],
  uninventoriedUnprotected: 0,
  measured: true,
  ...given,
})

const kinds = (gaps: readonly { kind: string; count: number | null; eventType: string | null }[]) =>
  gaps.map(({ kind, count, eventType }) =>
    [kind, ...(count === null ? [] : [count]), ...(eventType ? [eventType] : [])].join(' '),
  )

describe('requirement 6.4.3', () => {
  const unreviewed = script({ status: 'unreviewed' })
  test.each<[string, Partial<ScriptEvidence>, string, string[]]>([
    ['every script authorized and protected', {}, 'met', []],
    [
      'no payment page, whatever else',
      { paymentPages: 0, onPlan: false, scripts: [] },
      'not_met',
      ['no_payment_pages'],
    ],
    ['scripts that the plan does not read', { onPlan: false, scripts: [] }, 'not_met', ['scripts_not_on_plan']],
    ['no script seen', { scripts: [] }, 'not_met', ['no_scripts_seen']],
    ['an inventory cut short', { truncated: true }, 'partial', ['inventory_truncated']],
    ['one script unreviewed', { scripts: [script(), unreviewed] }, 'partial', ['unreviewed_scripts 1']],
    ['every script unreviewed', { scripts: [unreviewed, unreviewed] }, 'not_met', ['unreviewed_scripts 2']],
    ['a rejected script gone', { scripts: [script(), script({ status: 'rejected' })] }, 'met', []],
    [
      'a rejected script still running',
      { scripts: [script(), script({ status: 'rejected', stillRunning: true })] },
      'not_met',
      ['rejected_scripts_running 1'],
    ],
    [
      'an unprotected script',
      { scripts: [script(), script({ coverage: 'unprotected' })] },
      'partial',
      ['unprotected_scripts 1'],
    ],
    ['unprotected scripts beyond the inventory', { uninventoriedUnprotected: 3 }, 'partial', ['unprotected_scripts 3']],
    [
      'no integrity reports at all',
      { measured: false, scripts: [script({ coverage: 'unknown' }), script({ coverage: 'unknown' })] },
      'partial',
      ['integrity_unmeasured 2'],
    ],
    [
      'no integrity reports, and scans that found one of two authorized',
      { scripts: [script({ coverage: 'unknown', isScanned: true }), script({ coverage: 'unknown' })] },
      'partial',
      ['integrity_unmeasured 1'],
    ],
    ['any content of a protected script', { scripts: [script({ integrityMode: 'any_content' })] }, 'met', []],
    [
      'any content of an unprotected script',
      { scripts: [script(), script({ integrityMode: 'any_content', coverage: 'unprotected' })] },
      'partial',
      ['unprotected_scripts 1', 'unpinned_scripts'],
    ],
    ['a review that is due', { scripts: [script({ reviewOverdue: true })] }, 'partial', ['review_overdue']],
    [
      'several gaps, in the order of the enumeration',
      {
        truncated: true,
        uninventoriedUnprotected: 1,
        scripts: [
          unreviewed,
          script({ status: 'rejected', stillRunning: true, coverage: 'unprotected' }),
          script({ coverage: 'unknown' }),
        ],
      },
      'not_met',
      [
        'inventory_truncated',
        'unreviewed_scripts 1',
        'rejected_scripts_running 1',
        'unprotected_scripts 2',
        'integrity_unmeasured 1',
      ],
    ],
  ])('requirement 6.4.3 is judged with %s', (_, given, status, gaps) => {
    const verdict = judgeScripts(scripts(given))
    expect({ id: verdict.id, status: verdict.status, gaps: kinds(verdict.gaps) }).toEqual({ id: '6.4.3', status, gaps })
  })

  test('requirement 6.4.3 counts scripts by decision and by coverage', () => {
    const { facts } = judgeScripts(
      scripts({
        paymentPages: 4,
        uninventoriedUnprotected: 2,
        scripts: [
          script({ coverage: 'unprotected' }),
          unreviewed,
          script({ status: 'rejected', coverage: 'unknown' }),
          script({ status: 'rejected' }),
        ],
      }),
    )
    expect(facts).toEqual({
      paymentPages: 4,
      scripts: 4,
      authorized: 1,
      unreviewed: 1,
      rejected: 2,
      integrity: { protected: 2, unprotected: 3, unknown: 1, measured: true },
    })
  })
})

describe('requirement 11.6.1', () => {
  const now = new Date('2026-03-31T12:00:00Z')
  const ago = (days: number) => new Date(now.getTime() - days * dayMs).toISOString()
  const watched = { watched: true, unavailable: false, inlineNotComparable: false, longestScanGapMs: dayMs }
  const stale = { ...watched, watched: false }
  const gone = { ...watched, unavailable: true }
  const all = ['page.headers_changed', 'page.grade_dropped', 'script.changed']
  const accepting = { outcome: 'delivered', at: ago(1) }
  const failing = { outcome: 'rejected', at: ago(1) }
  const unalerted = (days: number) => ({ scannedAt: ago(days), alerted: false, acknowledgedAt: null })
  const changes = (given: Partial<ChangeEvidence> = {}): ChangeEvidence => ({
    now,
    pages: [watched, watched],
    changes: [],
    scriptChanges: [],
    events: all,
    alertedEvents: all,
    destinations: [accepting],
    ...given,
  })
  const noRules = all.map((event) => `no_rule ${event}`)
  test.each<[string, Partial<ChangeEvidence>, string, string[]]>([
    ['every page watched and a rule for each event', {}, 'met', []],
    ['rules for more than that', { alertedEvents: [...all, 'csp.new_issue'] }, 'met', []],
    ['no payment page', { pages: [] }, 'not_met', ['no_payment_pages']],
    ['no payment page and no rule', { pages: [], alertedEvents: [] }, 'not_met', ['no_payment_pages', ...noRules]],
    ['one page not watched', { pages: [watched, stale] }, 'partial', ['no_recent_scan 1']],
    ['no page watched', { pages: [stale, stale] }, 'not_met', ['no_recent_scan 2']],
    ['a rule for headers only', { alertedEvents: all.slice(0, 1) }, 'partial', noRules.slice(1)],
    ['rules for grades and scripts only', { alertedEvents: all.slice(1) }, 'partial', noRules.slice(0, 1)],
    ['rules for all that a plan without scripts finds', { events: all.slice(0, 2) }, 'met', []],
    ['one page unavailable', { pages: [watched, gone] }, 'partial', ['page_unavailable']],
    ['every page unavailable', { pages: [gone, gone] }, 'not_met', ['page_unavailable']],
    [
      'one page unavailable and the other not watched',
      { pages: [gone, stale] },
      'not_met',
      ['no_recent_scan 1', 'page_unavailable'],
    ],
    ['seven days between scans', { pages: [{ ...watched, longestScanGapMs: 7 * dayMs }] }, 'met', []],
    [
      'more between scans',
      { pages: [watched, { ...watched, longestScanGapMs: 7 * dayMs + 1 }] },
      'partial',
      ['scan_gap'],
    ],
    [
      'inline scripts that differ in each scan',
      { pages: [watched, { ...watched, inlineNotComparable: true }] },
      'partial',
      ['inline_not_comparable'],
    ],
    ['a change not alerted', { changes: [unalerted(0)] }, 'partial', ['not_alerted']],
    ['a script not alerted for longer', { scriptChanges: [unalerted(7.001)] }, 'not_met', ['not_alerted']],
    ['a change not alerted for seven days', { changes: [unalerted(7)] }, 'partial', ['not_alerted']],
    ['a change not alerted for longer', { changes: [unalerted(7.001)] }, 'not_met', ['not_alerted']],
    ['a change acknowledged in time', { changes: [{ ...unalerted(8), acknowledgedAt: ago(2) }] }, 'met', []],
    ['no destination that accepts', { destinations: [failing, failing] }, 'not_met', ['destination_failing']],
    ['one of two destinations failing', { destinations: [failing, accepting] }, 'partial', ['destination_failing']],
    [
      'a destination without a delivery',
      { destinations: [{ outcome: null, at: null }] },
      'not_met',
      ['destination_untested'],
    ],
    [
      'a destination that accepted long ago',
      { destinations: [{ ...accepting, at: ago(30.001) }] },
      'partial',
      ['destination_untested'],
    ],
    ['no rule', { alertedEvents: ['csp.new_issue'] }, 'not_met', noRules],
  ])('requirement 11.6.1 is judged with %s', (_, given, status, gaps) => {
    const verdict = judgeChanges(changes(given))
    expect({ id: verdict.id, status: verdict.status, gaps: kinds(verdict.gaps) }).toEqual({
      id: '11.6.1',
      status,
      gaps,
    })
  })

  test('requirement 11.6.1 counts pages, watched pages, changes and alerted changes', () => {
    const { facts } = judgeChanges(
      changes({ pages: [watched, stale, gone], changes: [{ ...unalerted(1), alerted: true }, unalerted(1)] }),
    )
    expect(facts).toEqual({
      paymentPages: 3,
      watched: 2,
      changes: 2,
      alerted: 1,
      acknowledged: 0,
      scriptChanges: 0,
      alertedScriptChanges: 0,
      acknowledgedScriptChanges: 0,
      unavailable: 1,
      inlineNotComparable: 0,
      longestScanGapDays: 1,
      destinations: 1,
      failingDestinations: 0,
      untestedDestinations: 0,
    })
  })

  test('requirement 11.6.1 is met only without a gap, and never while nobody was alerted', () => {
    const part = <Value>(...values: Value[]) => fc.constantFrom(...values)
    const page = fc.record({
      watched: fc.boolean(),
      unavailable: fc.boolean(),
      inlineNotComparable: fc.boolean(),
      longestScanGapMs: part(0, 7 * dayMs, 8 * dayMs),
    })
    const evidence = fc.record({
      now: fc.constant(now),
      pages: fc.array(page, { maxLength: 3 }),
      changes: fc.array(
        fc.record({
          scannedAt: part(ago(0), ago(7), ago(8)),
          alerted: fc.boolean(),
          acknowledgedAt: part(null, ago(0)),
        }),
        { maxLength: 3 },
      ),
      scriptChanges: fc.constant([]),
      events: part(all, all.slice(0, 2)),
      alertedEvents: fc.subarray(all),
      destinations: fc.array(part(accepting, failing, { outcome: null, at: null }, { ...accepting, at: ago(31) }), {
        maxLength: 3,
      }),
    })
    fc.assert(
      fc.property(evidence, (given) => {
        const { status, gaps } = judgeChanges(given)
        expect(gaps.length > 0 || given.destinations.length === 0).toBe(status !== 'met')
        const { pages, changes, events, alertedEvents, destinations } = given
        const isNever =
          !pages.some((one) => one.watched && !one.unavailable) ||
          !events.some((event) => alertedEvents.includes(event)) ||
          !destinations.some(({ outcome }) => outcome === 'delivered') ||
          changes.some((change) => !change.alerted && !change.acknowledgedAt && change.scannedAt === ago(8))
        expect(status === 'not_met').toBe(isNever)
      }),
    )
  })
})
