import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { blockedResource } from '../../../app/import/normalise/blocked-resource.ts'
import { scriptDecisions } from '../../../app/import/records/types/script-decisions.ts'
import { aReport } from '../../../fixtures/reports.ts'
import { dayMs, hourMs } from '../../../schema/durations.ts'
import type { StoredReport } from '../../../schema/stored-report.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import type { TestKey } from '../../support/tenants.ts'

const now = Date.now()

const policy = "default-src 'self'; script-src 'self' 'nonce-abc'; base-uri 'none'; report-to csp"
const comparable = "base-uri 'none'; default-src 'self'; report-to csp; script-src 'self' 'nonce-*'"

let api: TestApi
let key: TestKey
let tenantId: string

beforeAll(async () => {
  api = await startApi({ now: () => new Date(now) })
  tenantId = await api.createTenant()
  key = await api.createKey(tenantId)
})

afterAll(() => api?.close())

type Given = Partial<StoredReport> & { readonly directive: string; readonly blockedUrl: string }

/** Reports of two browsers on two pages, twelve of them unless told otherwise. */
function reportsOf(siteId: string, given: Given, count = 12): StoredReport[] {
  const { host, origin } = blockedResource(given.blockedUrl, false)
  const blocked = { blockedHost: host, blockedOrigin: origin, issueSubject: given.directive, issueHost: host }
  return Array.from({ length: count }, (_, index) => ({
    ...aReport({ tenantId, siteId, policy, disposition: 'report', ...blocked, ...given }),
    documentUrl: `https://shop.example.test/${index % 2}`,
    browserName: index % 2 === 0 ? 'Chrome' : 'Firefox',
    id: randomUUID(),
    receivedAt: (given.receivedAt ?? now - hourMs) - index,
  }))
}

async function siteWith(...given: readonly (Given | readonly [Given, number])[]): Promise<string> {
  const siteId = await api.createSite(tenantId, { hosts: ['shop.example.test', '*.shop-assets.example'] })
  const all = given.map((one) => (Array.isArray(one) ? one : [one, 12]) as readonly [Given, number])
  await api.insertReports(all.flatMap(([one, count]) => reportsOf(siteId, one, count)))
  return siteId
}

async function read(siteId: string, operation: 'advice' | 'check', query: Record<string, string> = {}) {
  const path = `/v1/sites/${siteId}/csp-policies/${operation}`
  const { status, body } = await api.get(`${path}?${new URLSearchParams(query)}`, { key })
  expect({ status, error: body.error }).toEqual({ status: 200, error: undefined })
  return body
}

const old = now - 20 * dayMs

const reasonsOf = (body: { data: { sources: Record<string, unknown>[] } }) =>
  body.data.sources.map(({ directive, source, decision, reasons }) => [directive, source, decision, reasons])

describe('advice', () => {
  test('proposes the policy with the sources that browsers and pages report, and shows what is silent then', async () => {
    const image = { directive: 'img-src', blockedUrl: 'https://img.partner.example/a/b.png', receivedAt: old }
    const siteId = await siteWith(
      image,
      { directive: 'script-src-elem', blockedUrl: 'https://shop.example.test:8443/x.js' },
      { directive: 'script-src-elem', blockedUrl: 'inline', sample: 'go()' },
      [{ directive: 'font-src', blockedUrl: 'https://font.example/f' }, 3],
    )
    const { data, truncated } = await read(siteId, 'advice')
    expect(data.policy).toMatchObject({ disposition: 'report', text: comparable, truncated: false })
    expect(data.proposed.text).toBe(
      `${comparable} https://shop.example.test:8443; img-src 'self' https://img.partner.example`,
    )
    expect(data.proposed).toMatchObject({ additions: 2, bytes: data.proposed.text.length })
    expect(reasonsOf({ data })).toEqual([
      ['img-src', 'https://img.partner.example', 'allow', []],
      ['script-src-elem', 'https://shop.example.test:8443', 'allow', []],
      ['font-src', 'https://font.example', 'review', ['low_confidence', 'new_host']],
      ['script-src-elem', 'inline', 'deny', ['inline']],
    ])
    expect(data.sources[0]).toMatchObject({
      ...{ expression: 'https://img.partner.example', addTo: 'img-src', createdFrom: 'default-src', party: 'third' },
      ...{ reportCount: 12, noiseCount: 0, pageCount: 2, browsers: ['Chrome', 'Firefox'], confidence: 'high' },
      paths: ['/a/b.png'],
    })
    expect(data.sources[3].hints).toEqual([
      { kind: 'hash', value: "'sha256-5KYv+PUboo5h+0+YAtGRPbwv5d/QxzHslP4YGnUaxRw='", sample: 'go()' },
      { kind: 'nonce', value: "'nonce-*'", sample: null },
    ])
    expect(data.effect.before).toMatchObject({ violation: { reportCount: 39 }, silent: { reportCount: 0 } })
    expect(data.effect.after).toMatchObject({ violation: { reportCount: 15 }, silent: { reportCount: 24 } })
    expect(truncated).toBe(false)
  })

  test('has the effect that a check of the proposed policy has', async () => {
    const siteId = await siteWith(
      { directive: 'img-src', blockedUrl: 'https://a.example/', receivedAt: old },
      { directive: 'connect-src', blockedUrl: 'https://b.example/x', receivedAt: old },
      { directive: 'style-src-attr', blockedUrl: 'inline' },
      { directive: 'img-src', blockedUrl: 'https://shop.example.test/redirects' },
    )
    const { data } = await read(siteId, 'advice')
    const { data: checked } = await read(siteId, 'check', { policy: data.proposed.text, policyId: data.policy.id })
    const { byReason, ...unknown } = data.effect.after.unknown
    expect(checked.totals).toMatchObject({ ...data.effect.after, unknown, unknownReasons: byReason })
    expect(byReason).toEqual([{ reason: 'redirect', reportCount: 12, estimatedReportCount: 12 }])
    expect(checked.totals.silent.reportCount).toBe(24)
  })

  test('shows an issue’s reports for each source', async () => {
    const siteId = await siteWith({ directive: 'img-src', blockedUrl: 'https://a.example/', receivedAt: old })
    const { data } = await read(siteId, 'advice')
    const path = `/v1/sites/${siteId}/issues/${data.sources[0].issueId}/reports?reportType=csp-violation`
    expect((await api.get(path, { key })).body.data).toHaveLength(12)
  })

  test('is of the policy quoted last, a report-only one before an enforced one, or of the named one', async () => {
    const other = "img-src 'none'"
    const siteId = await siteWith(
      { directive: 'img-src', blockedUrl: 'https://a.example/' },
      {
        directive: 'img-src',
        blockedUrl: 'https://b.example/',
        policy: other,
        disposition: 'enforce',
        receivedAt: now - 99,
      },
    )
    const { data } = await read(siteId, 'advice')
    expect(data).toMatchObject({ policy: { disposition: 'report' }, sourceCount: 1 })
    const { body } = await api.get(`/v1/sites/${siteId}/csp-policies`, { key })
    const { id } = body.data.find((one: { policy: string }) => one.policy === other)
    const named = await read(siteId, 'advice', { policyId: id })
    expect(named.data).toMatchObject({ policy: { id, text: other }, sources: [{ source: 'https://b.example' }] })
    const ofSite = await read(siteId, 'advice', { policyId: id, scope: 'site' })
    expect(ofSite.data.sourceCount).toBe(2)
    expect(ofSite.data.effect.before.violation.reportCount).toBe(24)
    const unknown = await api.get(`/v1/sites/${siteId}/csp-policies/advice?policyId=${'0'.repeat(32)}`, { key })
    expect([unknown.status, unknown.body.error.code]).toEqual([404, 'not_found'])
  })

  test('reviews what is new, shared, insecure or a bypass, and takes the rule of the request', async () => {
    const script = (host: string, receivedAt = old) =>
      ({ directive: 'script-src-elem', blockedUrl: `https://${host}/x.js`, receivedAt }) as const
    const siteId = await siteWith(
      script('new.example', now - 3 * dayMs),
      script('somebody.github.io'),
      script('ajax.googleapis.com'),
      script('cdn.shop-assets.example'),
      { directive: 'script-src-elem', blockedUrl: 'http://plain.example/', receivedAt: old },
      [script('few.example'), 4],
    )
    const reasons = Object.fromEntries(
      reasonsOf(await read(siteId, 'advice')).map(([, source, , found]) => [source, found]),
    )
    expect(reasons).toEqual({
      'https://new.example': ['new_destination'],
      'https://somebody.github.io': ['shared_host'],
      'https://ajax.googleapis.com': ['shared_host', 'bypass'],
      'https://cdn.shop-assets.example': [],
      'http://plain.example': ['insecure'],
      'https://few.example': ['low_confidence'],
    })
    const { data } = await read(siteId, 'advice', { minConfidence: 'medium', newDays: '2' })
    const allowed = data.sources.filter((one: { decision: string }) => one.decision === 'allow')
    expect(allowed.map((one: { source: string }) => one.source).sort()).toEqual(
      ['cdn.shop-assets.example', 'few.example', 'new.example'].map((host) => `https://${host}`),
    )
    expect(data.evaluation.evaluator).toMatch(/^csp_evaluator /)
  })

  test('knows the decisions on a site’s scripts', async () => {
    const script = (host: string) =>
      ({ directive: 'script-src-elem', blockedUrl: `https://${host}/x.js`, receivedAt: old }) as const
    const siteId = await siteWith(script('good.example'), script('bad.example'), script('other.example'))
    const decision = (host: string, status: string) => ({
      ...{ id: randomUUID(), siteId, url: `https://${host}/y.js`, status },
      integrityMode: status === 'authorized' ? 'any_content' : null,
      ...{ decidedBy: { name: null, email: 'a@example.com' }, decidedAt: new Date(now - dayMs).toISOString() },
    })
    await api.importRecords(tenantId, scriptDecisions, [
      decision('good.example', 'authorized'),
      decision('bad.example', 'rejected'),
    ])
    expect(reasonsOf(await read(siteId, 'advice'))).toEqual([
      ['script-src-elem', 'https://good.example', 'allow', []],
      ['script-src-elem', 'https://other.example', 'review', ['unauthorized_script']],
      ['script-src-elem', 'https://bad.example', 'deny', ['rejected_script']],
    ])
  })

  test('of a site without reports, or without a policy, is empty', async () => {
    for (const siteId of [
      await api.createSite(tenantId),
      await siteWith({ directive: 'img-src', blockedUrl: 'https://a.example/', policy: '' }),
    ]) {
      const { data, truncated } = await read(siteId, 'advice')
      expect({ ...data, truncated }).toMatchObject({ policy: null, proposed: null, sources: [], truncated: false })
    }
  })

  test('of a policy that was cut proposes none', async () => {
    const long = `img-src ${Array.from({ length: 1_500 }, (_, index) => `h${index}.example`).join(' ')}`
    const siteId = await siteWith({
      directive: 'img-src',
      blockedUrl: 'https://a.test/',
      policy: long,
      receivedAt: old,
    })
    const { data } = await read(siteId, 'advice')
    expect(data).toMatchObject({ policy: { truncated: true }, proposed: null, sources: [{ decision: 'allow' }] })
    expect(data.effect.after).toEqual(data.effect.before)
  })
})

describe('a check', () => {
  const sent = (siteId: string, query: Record<string, string>) =>
    api.get(`/v1/sites/${siteId}/csp-policies/check?${new URLSearchParams(query)}`, { key })

  test('groups reports by directive, source and verdict, violations first', async () => {
    const siteId = await siteWith(
      { directive: 'img-src', blockedUrl: 'https://a.example/lib/x.png' },
      [{ directive: 'img-src', blockedUrl: 'https://a.example/other.png' }, 5],
      [{ directive: 'font-src', blockedUrl: 'https://shop.example.test/f', noise: true }, 2],
      { directive: 'connect-src', blockedUrl: 'https://b.example/' },
    )
    const { data, groupCount, truncated } = await read(siteId, 'check', {
      policy: 'img-src https://a.example/lib/; connect-src b.example; font-src none',
    })
    expect(data.groups).toMatchObject([
      { directive: 'img-src', verdict: 'violation', governedBy: 'img-src', matchedBy: null, reportCount: 5 },
      { directive: 'font-src', verdict: 'unknown', reason: 'redirect', reportCount: 2, noiseCount: 2 },
      { directive: 'connect-src', verdict: 'silent', matchedBy: 'b.example', reportCount: 12 },
      { directive: 'img-src', verdict: 'silent', matchedBy: 'https://a.example/lib/', reportCount: 12 },
    ])
    expect({ groupCount, truncated }).toEqual({ groupCount: 4, truncated: false })
    expect(data.policy.warnings).toEqual([{ directive: 'font-src', value: 'none', kind: 'missing_quotes' }])
    expect(data.evaluation.before).toBe(null)
    expect((await read(siteId, 'check', { policy: 'img-src *', limit: '1' })).truncated).toBe(true)
    const { data: advice } = await read(siteId, 'advice', { limit: '1' })
    expect(advice.sources).toHaveLength(1)
  })

  test('takes reports of a disposition, of a policy, and of both only where they agree', async () => {
    const siteId = await siteWith(
      { directive: 'img-src', blockedUrl: 'https://a.example/' },
      [{ directive: 'img-src', blockedUrl: 'https://b.example/', disposition: 'enforce' }, 3],
      [{ directive: 'img-src', blockedUrl: 'https://b.example/', disposition: '', policy: '' }, 2],
    )
    const { data: advice } = await read(siteId, 'advice')
    const count = async (query: Record<string, string>) =>
      (await read(siteId, 'check', { policy: "img-src 'none'", ...query })).data.totals.violation.reportCount
    const policyId = advice.policy.id
    expect(await count({})).toBe(17)
    expect(await count({ disposition: 'enforce' })).toBe(5)
    expect(await count({ policyId })).toBe(12)
    expect(await count({ policyId, disposition: 'report' })).toBe(12)
    expect(await count({ policyId, disposition: 'enforce' })).toBe(0)
  })

  test('of a listed policy and its disposition has the reports that the list counts, those without a disposition too', async () => {
    const image = { directive: 'img-src', blockedUrl: 'https://a.example/' }
    const siteId = await siteWith(
      [{ ...image, disposition: '' }, 2],
      [{ ...image, disposition: 'enforce' }, 3],
      [{ ...image, disposition: 'report' }, 5],
      [{ ...image, disposition: '', policy: "img-src 'none'" }, 7],
    )
    const { body } = await api.get(`/v1/sites/${siteId}/csp-policies`, { key })
    const listed: { id: string; disposition: string; reportCount: number }[] = body.data
    for (const { id, disposition, reportCount } of listed) {
      const { data } = await read(siteId, 'check', { policy: 'img-src *', policyId: id, disposition })
      expect({ id, reportCount: data.totals.silent.reportCount }).toEqual({ id, reportCount })
    }
    const enforced = await read(siteId, 'check', { policy: 'img-src *', disposition: 'enforce' })
    const ofList = listed.map((one) => (one.disposition === 'enforce' ? one.reportCount : 0))
    expect(ofList.sort()).toEqual([0, 5, 7])
    expect(enforced.data.totals.silent.reportCount).toBe(12)
  })

  test('refuses a policy that is too long, has a comma, a control character or no directive, or is a whole header', async () => {
    const siteId = await api.createSite(tenantId)
    const [most, more] = [8_192, 8_193].map((length) => 'img-src '.padEnd(length, 'a'))
    expect((await sent(siteId, { policy: most ?? '' })).status).toBe(200)
    for (const refused of [more ?? '', "img-src 'self', font-src *", 'img-src\nself', 'img-src bücher.example']) {
      const { status, body } = await sent(siteId, { policy: refused })
      expect([status, body.error.code]).toEqual([400, 'bad_request'])
      expect(body.error.message).toContain('policy must be 1 to 8192 characters of printable ASCII without a comma')
    }
    for (const [refused, fault] of [
      ...[' ', ';', ' ; ', 'null', 'imgsrc *; fontsrc *'].map((one) => [
        one,
        'must have a directive that browsers know',
      ]),
      ["Content-Security-Policy: img-src 'self'; font-src *", 'must be the value of the header without its name'],
    ] as const) {
      const { status, body } = await sent(siteId, { policy: refused ?? '' })
      expect([status, body.error.code]).toEqual([400, 'bad_request'])
      expect(body.error.message).toBe(`policy ${fault}, not ${JSON.stringify(refused)}`)
    }
  })

  test('does not assess sources beyond 5,000, and counts them', async () => {
    const siteId = await api.createSite(tenantId)
    const hosts = Array.from({ length: 5_003 }, (_, index) => `https://h${index}.example/`)
    await api.insertReports(hosts.flatMap((blockedUrl) => reportsOf(siteId, { directive: 'img-src', blockedUrl }, 1)))
    const { data, truncated } = await read(siteId, 'check', { policy: 'img-src *' })
    expect(data.totals).toMatchObject({ silent: { reportCount: 5_000 }, unknown: { reportCount: 3 } })
    expect(data.totals.unknownReasons).toEqual([{ reason: 'not_assessed', reportCount: 3, estimatedReportCount: 3 }])
    expect(truncated).toBe(true)
  })
})
