import { expect, test } from 'vitest'
import { isAlerted, type PageChange } from '../../queries/rules/change-alerts.ts'

const day = 86_400_000
const scannedAt = '2026-03-01T12:00:00.000Z'

const change = (headers: string[], gradeDroppedFrom: string | null): PageChange => ({
  scannedAt,
  headers,
  gradeDroppedFrom,
})
const ofHeaders = change(['content-security-policy'], null)
const ofGrade = change([], 'A')
const ofBoth = change(['content-security-policy', 'referrer-policy'], 'A+')
const ofNeither = change([], null)

const alert = (eventType: string, later: number) => ({
  eventType,
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
  ['a change by an alert exactly a day later', ofHeaders, [headersAlert(day)], true],
  ['a change not by an alert a millisecond later than that', ofHeaders, [headersAlert(day + 1)], false],
  ['a change not by an alert from before its scan', ofHeaders, [headersAlert(-1)], false],
  [
    'a change by the one alert of many that is about it',
    ofHeaders,
    [headersAlert(-1), gradeAlert(1), headersAlert(day), headersAlert(day + 1)],
    true,
  ],
])('tells %s', (_, found, delivered, alerted) => {
  expect(isAlerted(found, delivered)).toBe(alerted)
})
