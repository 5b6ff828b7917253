import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { blockedResource } from '../../../app/import/normalise/blocked-resource.ts'
import { urlComponents } from '../../../app/import/normalise/url-components.ts'
import { seeded } from '../../../fixtures/seeded.ts'
import { parsePolicyLists } from '../../../schema/rules/csp/governing-directive.ts'
import { judgeRequest, parseRequest } from '../../../schema/rules/csp/judge-request.ts'
import { observeRequest } from '../../../schema/rules/csp/observed-request.ts'
import type { StoredReport } from '../../../schema/stored-report.ts'
import { estimated, type OracleWindow, within } from '../../oracles/oracle-parts.ts'
import { now, runs, startOracleWorld, windowParams, windows } from '../../oracles/oracle-world.ts'
import type { TestApi } from '../../support/api.ts'
import { aPolicy } from '../../support/csp-policies.ts'
import type { TestKey } from '../../support/tenants.ts'

const documents = [
  'https://shop.example.test/cart?x=1',
  'http://shop.example.test/',
  'https://shop.example.test:8443/a',
  'HTTPS://shop.example.test:0443',
  'http://shop.example.test:443/',
  'https://[2001:db8::1]:8443/x',
  '  https://shop.example.test/',
  'about',
  '',
]

const blockedUrls = [
  'https://a.test/lib/x.js?v=1',
  'https://a.test',
  'https://a.test/lib/1/2/3/4.js',
  `https://a.test/${'é'.repeat(120)}`,
  'http://A.test:80/lib/x.js',
  'https://sub.a.test:8443/',
  'https://shop.example.test/own.png',
  'http://shop.example.test/own.png',
  'https://shop.example.test:8443/',
  'wss://shop.example.test/socket',
  'ws://shop.example.test:8443/socket',
  'https://[2001:db8::1]:8443/x/',
  'https:\\\\a.test\\lib',
  'inline',
  'eval',
  'data',
  'blob',
  'self',
  'chrome-extension',
  'no url at all',
  '',
]

const directives = [
  'script-src-elem',
  'img-src',
  'connect-src',
  'style-src-attr',
  'worker-src',
  'script-src',
  'base-uri',
]

const policies = [
  "default-src 'self'",
  "script-src 'nonce-abc' 'strict-dynamic'; img-src a.test",
  "img-src https://a.test/lib/; connect-src *; script-src 'unsafe-inline' sub.a.test:8443",
  "default-src 'none'; report-uri /csp",
  '',
]

const samples = ['', 'go()', 'x'.repeat(39), 'é'.repeat(120), 'javascript:x']

let api: TestApi
let key: TestKey
let siteIds: readonly string[]
let rows: readonly StoredReport[]

beforeAll(async () => {
  const random = seeded(now)
  const world = await startOracleWorld({
    count: 3_000,
    reportTypes: ['csp-violation', 'coep'],
    siteCount: 2,
    change(row) {
      if (row.reportType !== 'csp-violation' || random.chance(0.1)) return [row]
      const [documentUrl, blockedUrl] = [random.pick(documents), random.pick(blockedUrls)]
      const { host, origin } = blockedResource(blockedUrl, false)
      const page = { documentUrl, documentHost: urlComponents(documentUrl).host }
      const blocked = { blockedUrl, blockedHost: host, blockedOrigin: origin, sample: random.pick(samples) }
      return [{ ...row, ...page, ...blocked, directive: random.pick(directives), policy: random.pick(policies) }]
    },
  })
  ;({ api, key, siteIds, rows } = world)
})

afterAll(() => api?.close())

const found = (window: OracleWindow, siteId: string | undefined) =>
  rows.filter((row) => row.reportType === 'csp-violation' && row.siteId === siteId && within(row, window))

const counts = (reports: readonly StoredReport[]) => ({
  reportCount: reports.length,
  estimatedReportCount: estimated(reports),
})

/** Each report judged by itself. */
function judged(reports: readonly StoredReport[], policy: string) {
  const candidate = parsePolicyLists(policy)
  const verdicts = reports.map((report) => {
    const quoted = report.policy === '' ? undefined : parsePolicyLists(report.policy)
    return { report, ...judgeRequest(candidate, quoted, parseRequest(observeRequest(report))) }
  })
  const of = (name: string) => counts(verdicts.filter(({ verdict }) => verdict === name).map(({ report }) => report))
  const unknown = verdicts.filter(({ verdict }) => verdict === 'unknown')
  const reasons = [...new Set(unknown.map(({ reason }) => String(reason)))].sort().map((reason) => ({
    reason,
    ...counts(unknown.filter((one) => one.reason === reason).map(({ report }) => report)),
  }))
  return { violation: of('violation'), silent: of('silent'), unknown: of('unknown'), reasons }
}

test('a check has the totals of its reports, each judged by itself, at any millisecond', async () => {
  const disposition = fc.constantFrom(undefined, 'enforce', 'report')
  await fc.assert(
    fc.asyncProperty(windows, fc.nat(1), aPolicy, disposition, async (window, site, policy, only) => {
      const siteId = siteIds[site]
      const query = new URLSearchParams({ ...windowParams(window), policy, ...(only && { disposition: only }) })
      const response = await api.get(`/v1/sites/${siteId}/csp-policies/check?${query}`, { key })
      expect(response.status).toBe(200)
      const reports = found(window, siteId).filter((row) => !only || (row.disposition || 'enforce') === only)
      const expected = judged(reports, policy)
      const { violation, silent, unknown, unknownReasons } = response.body.data.totals
      expect({ violation, silent, unknown }).toMatchObject({
        violation: expected.violation,
        silent: expected.silent,
        unknown: expected.unknown,
      })
      const byReason = (a: { reason: string }, b: { reason: string }) => (a.reason < b.reason ? -1 : 1)
      expect(unknownReasons.sort(byReason)).toEqual(expected.reasons)
    }),
    runs(45),
  )
})

test('the three totals of a check are the count of the site’s reports', async () => {
  await fc.assert(
    fc.asyncProperty(windows, fc.nat(1), aPolicy, async (window, site, policy) => {
      const siteId = siteIds[site] ?? ''
      const query = { ...windowParams(window) }
      const [check, count] = await Promise.all([
        api.get(`/v1/sites/${siteId}/csp-policies/check?${new URLSearchParams({ ...query, policy })}`, { key }),
        api.get(`/v1/reports/count?${new URLSearchParams({ ...query, siteId })}`, { key }),
      ])
      const { violation, silent, unknown } = check.body.data.totals
      const sum = violation.reportCount + silent.reportCount + unknown.reportCount
      expect(sum).toBe(count.body.data.reportCount)
    }),
    runs(20),
  )
})
