import { expect, test } from 'vitest'
import type { Change } from '../../../../../../app/worker/alerts/watch/change.ts'
import { composeAlerts, maxGroupedPerHour } from '../../../../../../app/worker/alerts/watch/compose-alerts.ts'
import { lastDigestAt } from '../../../../../../app/worker/alerts/watch/make-digests.ts'
import type { RecentAlert } from '../../../../../../queries/alerts/alerts.ts'
import type { EnabledRule } from '../../../../../../queries/alerts/rules.ts'

const since = '2026-11-01T00:00:00.000Z'
const occurredAt = '2026-11-01T12:00:00.000Z'

const bounds = { minReports: 0, minBrowsers: 0 }

const rule = (id: string, given: Partial<EnabledRule> = {}): EnabledRule => ({
  tenantId: 't',
  id,
  siteId: null,
  eventType: 'csp.new_issue',
  kind: 'immediate',
  destinationId: `to ${id}`,
  ...bounds,
  since,
  ...given,
})

const issues = (count: number, siteId = 'shop'): Change[] =>
  Array.from({ length: count }, (_, index) => ({
    eventType: 'csp.new_issue',
    siteId,
    subject: `${siteId} ${index}`,
    occurredAt,
    kind: 'issue',
    issueKey: BigInt(index),
    bounds,
  }))

const pageChange = (subject: string): Change => ({
  eventType: 'page.headers_changed',
  siteId: 'shop',
  subject,
  occurredAt,
  kind: 'page',
  data: { summary: subject },
})

const sizes = (changes: Change[], rules = [rule('a')], recent: RecentAlert[] = []) =>
  composeAlerts(changes, rules, recent).map(({ changes }) => changes.length)

test('up to three new issues of a site are a message each, more are one', () => {
  expect(sizes(issues(3))).toEqual([1, 1, 1])
  expect(sizes(issues(4))).toEqual([4])
  expect(sizes([...issues(4), ...issues(2, 'blog')])).toEqual([4, 1, 1])
})

test('changes of pages are never grouped, nor limited', () => {
  const changes = Array.from({ length: 40 }, (_, index) => pageChange(`scan ${index}`))
  expect(sizes(changes, [rule('a', { eventType: 'page.headers_changed' })])).toEqual(changes.map(() => 1))
})

test('without a rule of its event, its site and its time a change is no message', () => {
  expect(sizes(issues(1), [rule('a', { eventType: 'page.grade_dropped' })])).toEqual([])
  expect(sizes(issues(1), [rule('a', { siteId: 'blog' })])).toEqual([])
  expect(sizes(issues(1), [rule('a', { since: '2026-11-01T12:00:00.001Z' })])).toEqual([])
  expect(sizes(issues(1), [rule('a', { siteId: 'shop' })])).toEqual([1])
})

test('a message goes once to each destination of its rules, and those of a digest wait for it', () => {
  const rules = [
    rule('a', { destinationId: 'on-call' }),
    rule('b', { destinationId: 'on-call', siteId: 'shop' }),
    rule('c', { kind: 'digest', destinationId: 'officer' }),
  ]
  expect(composeAlerts(issues(1), rules, [])).toMatchObject([{ destinations: ['on-call'], digestTo: ['officer'] }])
})

test('past the limit of an hour issues wait, for the one message of the next', () => {
  const sent: RecentAlert = {
    eventType: 'csp.new_issue',
    siteId: 'shop',
    summary: '',
    occurredAt,
    detectedAt: occurredAt,
    isEnd: false,
    destinations: ['to a'],
    digestTo: [],
  }
  const recent = (count: number) => Array.from({ length: count }, () => sent)
  expect(sizes(issues(3), [rule('a')], recent(maxGroupedPerHour - 1))).toEqual([1])
  expect(sizes(issues(3), [rule('a')], recent(maxGroupedPerHour))).toEqual([])
  const others = recent(maxGroupedPerHour).map((alert) => ({ ...alert, siteId: 'blog' }))
  expect(sizes(issues(3), [rule('a')], others)).toEqual([1, 1, 1])
  expect(sizes(issues(3), [rule('a', { siteId: 'shop' })], others)).toEqual([1, 1, 1])
  expect(sizes(issues(3), [rule('a', { kind: 'digest' })], recent(maxGroupedPerHour))).toEqual([1, 1, 1])
})

test.each([
  ['2026-11-02T07:59:59.999Z', '2026-11-01T08:00:00.000Z'],
  ['2026-11-02T08:00:00.000Z', '2026-11-02T08:00:00.000Z'],
  ['2026-11-02T23:59:59.999Z', '2026-11-02T08:00:00.000Z'],
])('at %s the last digest hour was %s', (now, expected) => {
  expect(lastDigestAt(new Date(now), 8)).toEqual(new Date(expected))
})

test('new policies of a site are one message however many, and one an hour', () => {
  const rules = [rule('a', { eventType: 'csp.policy_changed' })]
  const policies = (siteId: string) =>
    issues(2, siteId).map(({ subject }): Change => {
      const policy = { id: subject, disposition: 'report', policy: '', firstSeen: occurredAt } as const
      return { eventType: 'csp.policy_changed', siteId, subject, occurredAt, kind: 'policy', policy }
    })
  const alert = {
    eventType: 'csp.policy_changed',
    siteId: 'shop',
    summary: '',
    occurredAt,
    detectedAt: occurredAt,
    isEnd: false,
    digestTo: [],
  }
  expect(sizes([...policies('shop'), ...policies('blog')], rules)).toEqual([2, 2])
  const sent = [{ ...alert, destinations: ['to a'] }]
  expect(composeAlerts([...policies('shop'), ...policies('blog')], rules, sent).map(({ siteId }) => siteId)).toEqual([
    'blog',
  ])
})

test('a lower grade is in the message about the headers of its scan, if a rule of the same kind and destination sends it', () => {
  const drop: Change = { ...pageChange('scan'), eventType: 'page.grade_dropped', includedIn: 'page.headers_changed' }
  const grade = rule('grade', { eventType: 'page.grade_dropped', destinationId: 'team' })
  const headers = rule('headers', { eventType: 'page.headers_changed', destinationId: 'team' })
  const later = '2026-11-01T13:00:00.000Z'
  const sent = (...others: EnabledRule[]) => composeAlerts([drop], [grade, ...others], []).length
  expect(sent(headers)).toBe(0)
  expect([
    sent(),
    sent({ ...headers, destinationId: 'officer' }),
    sent({ ...headers, kind: 'digest' }),
    sent({ ...headers, siteId: 'blog' }),
    sent({ ...headers, since: later }),
  ]).toEqual([1, 1, 1, 1, 1])
})
