import { expect, test } from 'vitest'
import { dayMs } from '../../../../../schema/durations.ts'
import { alertsByChange, alertsOfDeliveries, type PageChange } from '../../../../../schema/rules/pci/change-alerts.ts'

const scannedAt = '2026-03-01T12:00:00.000Z'

const change = (headers: string[], gradeDroppedFrom: string | null): PageChange => ({
  scanId: 'scan',
  scannedAt,
  headers,
  gradeDroppedFrom,
})
const ofHeaders = change(['content-security-policy'], null)
const ofGrade = change([], 'A')
const ofBoth = change(['content-security-policy', 'referrer-policy'], 'A+')
const ofNeither = change([], null)

const alert = (eventType: string, later: number, scanIds: string[] = []) => ({
  eventType,
  scanIds,
  createdAt: new Date(Date.parse(scannedAt) + later).toISOString(),
})
const headersAlert = (later: number) => alert('page.headers_changed', later)
const gradeAlert = (later: number) => alert('page.grade_dropped', later)

test.each<[string, PageChange, ReturnType<typeof alert>[], boolean]>([
  ['changed headers by an alert of changed headers', ofHeaders, [headersAlert(60_000)], true],
  ['changed headers not by an alert of a dropped grade', ofHeaders, [gradeAlert(60_000)], false],
  ['a dropped grade by an alert of a dropped grade', ofGrade, [gradeAlert(60_000)], true],
  ['a dropped grade not by an alert of changed headers', ofGrade, [headersAlert(60_000)], false],
  ['both by an alert of changed headers', ofBoth, [headersAlert(60_000)], true],
  ['both by an alert of a dropped grade', ofBoth, [gradeAlert(60_000)], true],
  ['neither by any alert', ofNeither, [headersAlert(60_000), gradeAlert(60_000)], false],
  ['nothing without an alert', ofBoth, [], false],
  ['nothing by an alert of another event', ofBoth, [alert('csp.policy_changed', 60_000)], false],
  ['nothing by an alert of an event that is written otherwise', ofBoth, [alert('PAGE.headers_changed', 60_000)], false],
  ['a change by an alert of the same millisecond', ofHeaders, [headersAlert(0)], true],
  ['a change by an alert exactly a day later', ofHeaders, [headersAlert(dayMs)], true],
  ['a change not by an alert a millisecond later than that', ofHeaders, [headersAlert(dayMs + 1)], false],
  ['a change not by an alert from before its scan', ofHeaders, [headersAlert(-1)], false],
  [
    'a change by the one alert of many that is about it',
    ofHeaders,
    [headersAlert(-1), gradeAlert(1), headersAlert(dayMs), headersAlert(dayMs + 1)],
    true,
  ],
])('alerts match changes: %s', (_, found, delivered, alerted) => {
  expect(alertsByChange([found], delivered).has(found)).toBe(alerted)
})

const changedAt = (later: number): PageChange => ({ ...ofHeaders, scannedAt: alert('', later).createdAt })

test.each<[string, number[], ReturnType<typeof alert>[], number[]]>([
  ['one change, the latest before it', [3, 2, 1], [headersAlert(2)], [2]],
  ['one change of several found at once, the first told', [1, 1], [headersAlert(1)], [1]],
  ['another change than the alert before it', [3, 2, 1], [headersAlert(3), headersAlert(3)], [3, 2]],
  ['no change that another alert speaks for', [1], [headersAlert(1), headersAlert(2)], [1]],
  ['an older change where a later alert speaks for the later', [5, 1], [headersAlert(3), headersAlert(6)], [5, 1]],
  [
    'no change of more than a day ago behind those of others',
    [dayMs + 1, 0],
    [headersAlert(dayMs + 1), headersAlert(dayMs + 2)],
    [dayMs + 1],
  ],
])('an alert covers %s', (_, found, delivered, alerted) => {
  const changes = found.map(changedAt)
  const spoken = alertsByChange(changes, delivered)
  expect(changes.filter((change) => spoken.has(change))).toEqual(alerted.map(changedAt))
})

test('alerts of two events can cover one change', () => {
  const [both, older] = [ofBoth, { ...ofBoth, scannedAt: alert('', -1).createdAt }]
  expect(alertsByChange([both, older], [headersAlert(1), gradeAlert(1)])).toEqual(
    new Map([[both, [headersAlert(1), gradeAlert(1)]]]),
  )
})

test('an alert of scans covers the changes of all of them within a day, and no others', () => {
  const named = (scanId: string, later: number) => ({ ...changedAt(later), scanId })
  const [old, one, other, unnamed] = [named('old', 1 - dayMs), named('a', 1), named('b', 2), named('c', 2)]
  const alert = { ...headersAlert(2), scanIds: ['old', 'a', 'b'] }
  expect(alertsByChange([unnamed, other, one, old], [alert])).toEqual(
    new Map([
      [other, [alert]],
      [one, [alert]],
    ]),
  )
  const ofOther = headersAlert(3)
  expect(alertsByChange([unnamed, other], [alert, ofOther]).get(unnamed)).toEqual([ofOther])
})

const ack = (later: number) => ({ acknowledgedAt: alert('', later).createdAt })

test.each<[string, number[], number, boolean]>([
  ['a change by an acknowledgement of seven days later', [7 * dayMs], 1, true],
  ['a change by the first of two acknowledgements', [8 * dayMs, 7 * dayMs], 1, true],
  ['a change not by a later acknowledgement', [7 * dayMs + 1], 1, false],
  ['a change not by the acknowledgement of an alert that came a day later', [2 * dayMs], dayMs + 1, false],
])('acknowledgements match %s', (_, acknowledged, later, isTold) => {
  const found = { alertId: 'a', outcome: 'rejected', acknowledgements: acknowledged.map(ack) }
  const alerts = alertsOfDeliveries([{ ...headersAlert(later), ...found }])
  expect(alerts.delivered).toEqual([])
  expect(alertsByChange([ofHeaders], alerts.acknowledged).has(ofHeaders)).toBe(isTold)
  const [named] = alertsOfDeliveries([{ ...alert('page.headers_changed', later, ['scan']), ...found }]).acknowledged
  const isInTime = Math.min(...acknowledged) <= 7 * dayMs
  expect(alertsByChange([ofHeaders], named ? [named] : []).has(ofHeaders)).toBe(isInTime)
})

test('an alert to several destinations is one, of its first delivery', () => {
  const delivery = (later: number, outcome: string, acknowledgements: ReturnType<typeof ack>[] = []) => ({
    ...headersAlert(later),
    alertId: 'a',
    outcome,
    acknowledgements,
  })
  const [rejected, first] = [delivery(1, 'rejected'), delivery(2, 'delivered')]
  const second = delivery(3, 'delivered', [ack(9), ack(4)])
  const { delivered, acknowledged } = alertsOfDeliveries([rejected, first, second])
  expect(delivered).toEqual([first])
  expect(acknowledged).toEqual([{ ...rejected, ...ack(4) }])
})
