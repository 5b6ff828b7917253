import { expect, test } from 'vitest'
import { messageText } from '../../../../../../app/worker/alerts/deliver/message-text.ts'

const timestamp = '2026-11-01T12:00:00.000Z'

test('a message has its summary, its site, page and time, a line for each change and the path in the API', () => {
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
  const page = { siteName: 'Shop', pageLabel: 'Checkout' }
  const data = { alertId: 'a', summary: 'Checkout: 2 changes', ...page, headers: [...headers], path: '/v1/x' }
  expect(messageText({ type: 'page.headers_changed', timestamp, data })).toBe(
    [
      'Checkout: 2 changes',
      'Site: Shop',
      'Page: Checkout',
      'Time: 2026-11-01 12:00 UTC',
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
      decision: null,
    },
  ]
  const data = { alertId: 'a', summary: '1,301 new issues', issues, issueCount: 1_301 }
  expect(messageText({ type: 'csp.new_issue', timestamp, data })).toContain(
    `- script-src blocks inline code, since 2026-11-01 12:00 UTC; reports: 1, browsers: 1, pages: 1; decision: none\n- and 1,300 more issues`,
  )
})

test('the issue of new issues above the limit of a day is named as such', () => {
  const counts = { reportCount: 1, browserFamilyCount: 1, affectedPages: 1 }
  const issues = [{ id: '1', directive: '(other)', host: '(other)', firstSeen: timestamp, ...counts }]
  const data = { alertId: 'a', summary: '2 new issues', issues, issueCount: 2 }
  expect(messageText({ type: 'csp.new_issue', timestamp, data })).toContain(
    `- others above the limit of a day, since 2026-11-01 12:00 UTC; reports: 1`,
  )
})

test('a line break in a value begins no line', () => {
  const alerts = [{ type: 'csp.new_issue', siteId: null, summary: 'New issue: a\n- forged', timestamp }]
  const text = messageText({
    type: 'digest',
    timestamp,
    data: { alertId: 'a', summary: 'Digest', alerts, alertCount: 1 },
  })
  expect(text.split('\n')).toEqual([
    'Digest',
    'Time: 2026-11-01 12:00 UTC',
    '',
    '- 2026-11-01 12:00 UTC csp.new_issue: New issue: a | - forged',
  ])
})

test('a changed script has its hash before and now, and the decision', () => {
  const script = { url: 'https://a.test/a.js', hash: 'sha256-b', hashBefore: 'sha256-a', pageLabel: 'Checkout' }
  const textOf = (decision: 'unreviewed' | 'authorized') => {
    const scripts = [{ ...script, change: 'changed', decision }] as const
    return messageText({ type: 'script.changed', timestamp, data: { alertId: 'a', summary: 's', scripts } })
  }
  const line = '- changed on Checkout: https://a.test/a.js (sha256-a -> sha256-b); decision:'
  expect(textOf('unreviewed')).toContain(`${line} unreviewed`)
  expect(textOf('authorized')).toContain(`${line} authorized with other hashes`)
})
