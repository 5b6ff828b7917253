import { expect, test } from 'vitest'
import { headerKindNames, reportingHeaders } from '../../../../schema/reporting-headers.ts'
import { comparableForm } from '../../../../schema/rules/csp/csp-comparable-form.ts'
import { siteSetup } from '../../../../schema/setup/site-setup.ts'

const token = 'AAAAAAAAAAAAAAAAAAAAAA'
const reportUrl = `https://in.example/r/${token}`
const endpoints = `default="${reportUrl}"`

type Sent = Readonly<Record<string, string>>

function setup(headers: Sent | undefined, url = reportUrl) {
  const page = headers && { url: 'https://shop.example/', headers: new Map(Object.entries(headers)) }
  const rows = siteSetup({ token, reportUrl: url, page, lastReports: new Map([['crash', '2026-01-31T12:00:00.000Z']]) })
  return new Map(rows.map((row) => [row.kind, row]))
}

const row = (kind: (typeof headerKindNames)[number], headers: Sent | undefined, url?: string) => {
  const { state, problems = [], lines } = setup(headers, url).get(kind) ?? {}
  return { state, problems: problems.map(({ problem }) => problem), lines }
}

/** As a scan stores what a page sends. */
const sentBy = (printed: ReturnType<typeof reportingHeaders>): Sent =>
  Object.fromEntries(
    printed.map(([name, value]) => {
      const isPolicy = name.startsWith('Content-Security-Policy')
      return [name.toLowerCase(), isPolicy ? comparableForm(value) : value]
    }),
  )

test.each([reportUrl, `/r/${token}`])('a page that sends the printed headers of all kinds to %s is ok', (url) => {
  const rows = [...setup(sentBy(reportingHeaders(url, headerKindNames))).values()]
  expect(rows.map(({ kind, state, problems, lines }) => ({ kind, state, problems, lines }))).toEqual(
    headerKindNames.map((kind) => ({ kind, state: 'ok', problems: [], lines: [] })),
  )
})

test.each(headerKindNames)('%s: a page without headers is ok once it sends the printed lines', (kind) => {
  const { state, lines } = row(kind, {})
  expect(state).toMatch(/^(missing|optional)$/)
  const printed = (lines ?? []).map((line) => line.split(/: (.*)/s) as [string, string])
  expect(row(kind, sentBy(printed)).state).toBe('ok')
})

test('without a scan every state is unknown, and the latest report is that of its type', () => {
  const rows = setup(undefined)
  expect(new Set([...rows.values()].map(({ state }) => state))).toEqual(new Set(['unknown']))
  expect(rows.get('crash')?.lastReportAt).toBe('2026-01-31T12:00:00.000Z')
  expect(rows.get('coop')?.lastReportAt).toBeNull()
})

test.each<[string, Parameters<typeof row>[0], Sent]>([
  ['a policy', 'csp', { 'content-security-policy': "default-src 'self'; report-to main" }],
  ['COOP', 'coop', { 'cross-origin-opener-policy': 'same-origin; report-to="main"' }],
  ['COEP', 'coep', { 'cross-origin-embedder-policy-report-only': 'require-corp; report-to="main"' }],
  ['an integrity policy', 'integrity', { 'integrity-policy': 'blocked-destinations=(script), endpoints=(main)' }],
  ['a permissions policy', 'permissions', { 'permissions-policy': 'camera=();report-to=main' }],
])('%s that names an undeclared endpoint is wrong, until it is declared as printed', (_, kind, sent) => {
  const others = 'other="https://other.example/r"'
  const wrong = row(kind, { ...sent, 'reporting-endpoints': others })
  expect(wrong).toEqual({
    state: 'wrong',
    problems: ['undeclared_endpoint'],
    lines: [`Reporting-Endpoints: ${others}, main="${reportUrl}"`],
  })
  expect(row(kind, { ...sent, 'reporting-endpoints': `${others}, main="${reportUrl}"` }).state).toBe('ok')
})

test('NEL needs a group of Report-To: an endpoint of Reporting-Endpoints is none', () => {
  const { state, problems, lines } = row('network', {
    'reporting-endpoints': endpoints,
    nel: '{"report_to":"default","max_age":60}',
  })
  expect({ state, problems }).toEqual({ state: 'wrong', problems: ['undeclared_endpoint'] })
  expect(lines?.map((line) => line.split(':')[0])).toEqual(['Report-To', 'NEL'])
})

test('a policy can name a group of Report-To', () => {
  const group = JSON.stringify({ group: 'main', max_age: 60, endpoints: [{ url: reportUrl }] })
  const policy = "default-src 'self'; report-to main"
  expect(row('csp', { 'report-to': `{}, ${group}`, 'content-security-policy': policy }).state).toBe('ok')
})

test('an endpoint over http is wrong, also on this machine', () => {
  for (const host of ['in.example', 'localhost:8788']) {
    const sent = { 'reporting-endpoints': `default="http://${host}/r/${token}"` }
    expect(row('crash', sent)).toEqual({
      state: 'wrong',
      problems: ['insecure_endpoint'],
      lines: [`Reporting-Endpoints: ${endpoints}`],
    })
  }
})

test('lines for a collector over http have no endpoint, which Chromium would ignore', () => {
  const http = `http://127.0.0.1:8788/r/${token}`
  expect(row('crash', {}, http).lines).toEqual([])
  expect(row('csp', {}, http).lines).toEqual([expect.stringMatching(/^Content-.*; report-uri http:\S+$/)])
})

test('an endpoint of another token or service is wrong', () => {
  for (const url of [`https://in.example/r/${token.replace('A', 'B')}`, 'https://other.example/r']) {
    const sent = {
      'reporting-endpoints': `default="${url}"`,
      'content-security-policy': 'img-src *; report-to default',
    }
    expect(row('deprecation', sent)).toEqual({
      state: 'wrong',
      problems: ['other_endpoint'],
      lines: [`Reporting-Endpoints: ${endpoints}`],
    })
    expect(row('csp', sent)).toEqual({
      state: 'wrong',
      problems: ['other_endpoint'],
      lines: [
        `Reporting-Endpoints: ${endpoints}`,
        `Content-Security-Policy: img-src *; report-uri ${reportUrl}; report-to default`,
      ],
    })
  }
})

test('one policy that reports here is enough, whatever another one does', () => {
  const sent = {
    'reporting-endpoints': `main="${reportUrl}", other="https://other.example/r"`,
    'permissions-policy': 'camera=();report-to=other',
    'permissions-policy-report-only': 'usb=();report-to=main',
  }
  expect(row('permissions', sent)).toEqual({ state: 'ok', problems: [], lines: [] })
})

test('Chromium ignores a report-uri that leads here beside a report-to that does not', () => {
  const policy = `img-src *; report-uri ${reportUrl}`
  expect(row('csp', { 'content-security-policy': policy }).state).toBe('ok')
  const { state, problems, lines } = row('csp', { 'content-security-policy': `${policy}; report-to main` })
  expect({ state, problems }).toEqual({ state: 'wrong', problems: ['undeclared_endpoint', 'ignored_report_uri'] })
  expect(lines).toContain(`Reporting-Endpoints: main="${reportUrl}", default="${reportUrl}"`)
})

test('of two policies both have to report, and the line extends the silent one', () => {
  const sent = {
    'reporting-endpoints': endpoints,
    'content-security-policy': "script-src 'nonce-*'",
    'content-security-policy-report-only': `img-src *; report-to default`,
  }
  expect(row('csp', sent)).toEqual({
    state: 'wrong',
    problems: ['silent_policy'],
    lines: [
      `Content-Security-Policy: script-src 'nonce-*' 'report-sample'; report-uri ${reportUrl}; report-to default`,
    ],
  })
  expect(row('scripts', sent)).toEqual({
    state: 'optional',
    problems: [],
    lines: [
      `Content-Security-Policy: script-src 'nonce-*' 'report-sample' 'report-sha256'; report-uri ${reportUrl}; report-to default`,
    ],
  })
})

test('lines keep a reporting URL of the page itself, and its document policy', () => {
  const sent = { 'reporting-endpoints': `main="/r/${token}"`, 'document-policy': 'force-load-at-top' }
  expect(row('document', sent).lines).toEqual([
    `Reporting-Endpoints: main="/r/${token}", default="/r/${token}"`,
    'Document-Policy: force-load-at-top, js-profiling=?0;report-to=default',
  ])
})

test('headers that do not parse count as absent', () => {
  for (const [name, kind] of [
    ['reporting-endpoints', 'crash'],
    ['permissions-policy', 'permissions'],
    ['nel', 'network'],
  ] as const) {
    for (const value of ['', '"', '{', '[1]', 'null', 'a=(', '\u0000é']) {
      expect(row(kind, { [name]: value, 'report-to': value }).state).toBe('missing')
    }
  }
})
