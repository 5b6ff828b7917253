import { describe, expect, test } from 'vitest'
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
  const watched = { watched: true }
  const stale = { watched: false }
  const both = ['page.headers_changed', 'page.grade_dropped']
  const changes = (given: Partial<ChangeEvidence> = {}): ChangeEvidence => ({
    pages: [watched, watched],
    changes: [],
    alertedEvents: both,
    ...given,
  })
  const noRules = ['no_rule page.headers_changed', 'no_rule page.grade_dropped']
  test.each<[string, Partial<ChangeEvidence>, string, string[]]>([
    ['every page watched and a rule for each event', {}, 'met', []],
    ['rules for more than that', { alertedEvents: [...both, 'csp.new_issue'] }, 'met', []],
    ['no payment page', { pages: [] }, 'not_met', ['no_payment_pages']],
    ['no payment page and no rule', { pages: [], alertedEvents: [] }, 'not_met', ['no_payment_pages', ...noRules]],
    ['one page not watched', { pages: [watched, stale] }, 'partial', ['no_recent_scan 1']],
    ['no page watched', { pages: [stale, stale] }, 'not_met', ['no_recent_scan 2']],
    ['a rule for headers only', { alertedEvents: ['page.headers_changed'] }, 'partial', ['no_rule page.grade_dropped']],
    ['a rule for grades only', { alertedEvents: ['page.grade_dropped'] }, 'partial', ['no_rule page.headers_changed']],
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
      changes({ pages: [watched, stale, watched], changes: [{ alerted: true }, { alerted: false }] }),
    )
    expect(facts).toEqual({ paymentPages: 3, watched: 2, changes: 2, alerted: 1 })
  })

  test('requirement 11.6.1 has a gap unless it is met', () => {
    const [someWatched, someEvents] = [
      [[], [watched], [stale], [watched, stale]],
      [[], ['page.grade_dropped'], both],
    ]
    for (const pages of someWatched) {
      for (const alertedEvents of someEvents) {
        const { status, gaps } = judgeChanges(changes({ pages, alertedEvents }))
        expect(gaps.length > 0).toBe(status !== 'met')
      }
    }
  })
})
