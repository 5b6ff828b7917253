import { expect, test } from 'vitest'
import type { AlertMessage } from '../../../../../../app/worker/alerts/alert-message.ts'
import { whereToLook } from '../../../../../../app/worker/alerts/deliver/where-to-look.ts'

const timestamp = '2026-11-01T12:00:00.000Z'
const issue = { id: 'a1', directive: 'img-src', host: 'a.test', firstSeen: timestamp }
const counts = { reportCount: 1, browserFamilyCount: 1, affectedPages: 1 }
const message = (type: string, data: Partial<AlertMessage['data']>): AlertMessage => ({
  type,
  timestamp,
  data: { alertId: 'x', summary: 's', siteId: 'shop', ...data },
})
const origin = 'https://reports.example.com'

test.each<[string, Partial<AlertMessage['data']>, string]>([
  ['page.headers_changed', { pageId: 'p', scanId: 's' }, 'view=pages&siteId=shop&pageId=p&scanId=s'],
  ['csp.new_issue', { issues: [{ ...issue, ...counts }] }, 'view=issue&siteId=shop&issueId=a1'],
  ['csp.new_issue', { issues: [1, 2].map(() => ({ ...issue, ...counts })) }, 'view=issues&siteId=shop&new=true'],
  ['script.changed', { scripts: [] }, 'view=scripts&siteId=shop'],
  ['csp.policy_changed', { policies: [] }, 'view=policy&siteId=shop'],
  [
    'reports.silence',
    { hour: timestamp, path: `/v1/reports/count?siteId=shop&from=${timestamp}&to=${timestamp}` },
    `view=reports&siteId=shop&from=${encodeURIComponent(timestamp)}&to=${encodeURIComponent(timestamp)}`,
  ],
])('a message of %s links its view and has a next step', (type, given, view) => {
  const { data } = whereToLook(message(type, given), 'tenant', origin)
  expect(data.url).toBe(`${origin}/explorer?${view}`)
  expect(data.nextStep).toMatch(/\.$/)
})

test('without PUBLIC_URL there is no link, and what is over has no next step', () => {
  const { data } = whereToLook(message('reports.silence', { ended: true }), 'tenant', undefined)
  expect(data).toEqual({ alertId: 'x', summary: 's', siteId: 'shop', ended: true })
})

test('a command of a next step has the ids and the time', () => {
  const stepOf = (type: string) => whereToLook(message(type, { pageId: 'p' }), 'tenant', undefined).data.nextStep
  expect(stepOf('page.scan_failing')).toBe('Fix the cause, then run "pages scan --tenant tenant --page p".')
  expect(stepOf('reports.flood')).toContain(
    `"reports delete --tenant tenant --site shop --from ${timestamp} --unconfirmed"`,
  )
})
