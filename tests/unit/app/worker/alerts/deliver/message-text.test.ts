import { expect, test } from 'vitest'
import { messageText } from '../../../../../../app/worker/alerts/deliver/message-text.ts'

const timestamp = '2026-11-01T12:00:00.000Z'

test('a message has its summary, its site, a line for each change and the path in the API', () => {
  const headers = [
    { header: 'content-security-policy', change: 'changed', before: "default-src 'self'\nimg-src *", after: '' },
    {
      header: 'content-security-policy-report-only',
      change: 'changed',
      before: 'script-src https://a.test',
      after: 'script-src https://b.test',
      differences: ['- script-src https://a.test', '+ script-src https://b.test'],
    },
    { header: 'x-frame-options', change: 'removed', before: 'deny', after: null },
  ] as const
  const data = { alertId: 'a', summary: 'Checkout: 2 changes', siteName: 'Shop', headers: [...headers], path: '/v1/x' }
  expect(messageText({ type: 'page.headers_changed', timestamp, data })).toBe(
    [
      'Checkout: 2 changes',
      'Site: Shop',
      '',
      `- content-security-policy changed: "default-src 'self'\\nimg-src *" -> ""`,
      '- content-security-policy-report-only changed: - script-src https://a.test; + script-src https://b.test',
      '- x-frame-options removed: "deny" -> not sent',
      '',
      'GET /v1/x',
    ].join('\n'),
  )
})

test('of many issues it says how many more there are, and an issue of inline code has no host', () => {
  const issues = [
    {
      id: '1',
      directive: 'script-src',
      host: '',
      firstSeen: timestamp,
      reportCount: 1,
      browserFamilyCount: 1,
      affectedPages: 1,
    },
  ]
  const data = { alertId: 'a', summary: '1,301 new issues', issues, issueCount: 1_301 }
  expect(messageText({ type: 'csp.new_issue', timestamp, data })).toContain(
    `- script-src blocks inline code, since ${timestamp}; reports: 1, browsers: 1, pages: 1\n- and 1,300 more issues`,
  )
})

test('the issue of new issues above the limit of a day is named as such', () => {
  const counts = { reportCount: 1, browserFamilyCount: 1, affectedPages: 1 }
  const issues = [{ id: '1', directive: '(other)', host: '(other)', firstSeen: timestamp, ...counts }]
  const data = { alertId: 'a', summary: '2 new issues', issues, issueCount: 2 }
  expect(messageText({ type: 'csp.new_issue', timestamp, data })).toContain(
    `- others above the limit of a day, since ${timestamp}; reports: 1`,
  )
})

test('a line break in a value begins no line', () => {
  const alerts = [{ type: 'csp.new_issue', siteId: null, summary: 'New issue: a\n- forged', timestamp }]
  const text = messageText({
    type: 'digest',
    timestamp,
    data: { alertId: 'a', summary: 'Digest', alerts, alertCount: 1 },
  })
  expect(text.split('\n')).toEqual(['Digest', '', `- ${timestamp} csp.new_issue: New issue: a | - forged`])
})
