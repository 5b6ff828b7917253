import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type CspSites, startCspSites } from '../../support/csp-sites.ts'
import { servePage } from '../../support/served-page.ts'

let sites: CspSites

beforeAll(async () => {
  sites = await startCspSites()
})

afterAll(() => sites?.api.close())

describe('a check', () => {
  const sent = (siteId: string, query: Record<string, string>) =>
    sites.api.get(`/v1/sites/${siteId}/csp-policies/check?${new URLSearchParams(query)}`, { key: sites.key })

  test('groups reports by directive, source and verdict, violations first', async () => {
    const siteId = await sites.siteWith(
      { directive: 'img-src', blockedUrl: 'https://a.example/lib/x.png' },
      [{ directive: 'img-src', blockedUrl: 'https://a.example/other.png' }, 5],
      [{ directive: 'font-src', blockedUrl: 'https://shop.example.test/f', noise: true }, 2],
      { directive: 'connect-src', blockedUrl: 'https://b.example/' },
    )
    const { data, groupCount, truncated } = await sites.read(siteId, 'check', {
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
    expect((await sites.read(siteId, 'check', { policy: 'img-src *', limit: '1' })).truncated).toBe(true)
    const { data: advice } = await sites.read(siteId, 'advice', { limit: '1' })
    expect(advice.sources).toHaveLength(1)
  })

  test('takes reports of a disposition, of a policy, and of both only where they agree', async () => {
    const siteId = await sites.siteWith(
      { directive: 'img-src', blockedUrl: 'https://a.example/' },
      [{ directive: 'img-src', blockedUrl: 'https://b.example/', disposition: 'enforce' }, 3],
      [{ directive: 'img-src', blockedUrl: 'https://b.example/', disposition: '', policy: '' }, 2],
    )
    const { data: advice } = await sites.read(siteId, 'advice')
    const count = async (query: Record<string, string>) =>
      (await sites.read(siteId, 'check', { policy: "img-src 'none'", ...query })).data.totals.violation.reportCount
    const policyId = advice.policy.id
    expect(await count({})).toBe(17)
    expect(await count({ disposition: 'enforce' })).toBe(5)
    expect(await count({ policyId })).toBe(12)
    expect(await count({ policyId, disposition: 'report' })).toBe(12)
    expect(await count({ policyId, disposition: 'enforce' })).toBe(0)
  })

  test('of a listed policy and its disposition has the reports that the list counts, those without a disposition too', async () => {
    const image = { directive: 'img-src', blockedUrl: 'https://a.example/' }
    const siteId = await sites.siteWith(
      [{ ...image, disposition: '' }, 2],
      [{ ...image, disposition: 'enforce' }, 3],
      [{ ...image, disposition: 'report' }, 5],
      [{ ...image, disposition: '', policy: "img-src 'none'" }, 7],
    )
    const { body } = await sites.api.get(`/v1/sites/${siteId}/csp-policies`, { key: sites.key })
    const listed: { id: string; disposition: string; reportCount: number }[] = body.data
    for (const { id, disposition, reportCount } of listed) {
      const { data } = await sites.read(siteId, 'check', { policy: 'img-src *', policyId: id, disposition })
      expect({ id, reportCount: data.totals.silent.reportCount }).toEqual({ id, reportCount })
    }
    const enforced = await sites.read(siteId, 'check', { policy: 'img-src *', disposition: 'enforce' })
    const ofList = listed.map((one) => (one.disposition === 'enforce' ? one.reportCount : 0))
    expect(ofList.sort()).toEqual([0, 5, 7])
    expect(enforced.data.totals.silent.reportCount).toBe(12)
  })

  test('takes several lines, and policies by comma, of which the first that reports decides', async () => {
    const siteId = await sites.api.createSite(sites.tenantId)
    const { data } = await sites.read(siteId, 'check', { policy: "img-src a_b.test;\n\tobject-src 'none', img-src *" })
    expect(data.policy.warnings).toEqual([{ directive: 'img-src', value: 'a_b.test', kind: 'invalid_source' }])
    // The second alone has no object-src.
    expect(data.evaluation.after.map(({ directive }: { directive: string }) => directive)).not.toContain('object-src')
  })

  test('refuses a policy that is too long, has a control character or no directive, or is a whole header', async () => {
    const siteId = await sites.api.createSite(sites.tenantId)
    const [most, more] = [8_192, 8_193].map((length) => 'img-src '.padEnd(length, 'a'))
    expect((await sent(siteId, { policy: most ?? '' })).status).toBe(200)
    for (const refused of [more ?? '', 'img-src\0self', 'img-src bücher.example']) {
      const { status, body } = await sent(siteId, { policy: refused })
      expect([status, body.error.code]).toEqual([400, 'bad_request'])
      expect(body.error.message).toContain('policy must be 1 to 8192 characters of printable ASCII and line ends')
    }
    for (const [refused, fault] of [
      ...[' ', ';', ' ; ', 'null', 'imgsrc *; fontsrc *'].map((one) => [one, 'must have a known directive']),
      ["Content-Security-Policy: img-src 'self'; font-src *", 'must be the value of the header without its name'],
    ] as const) {
      const { status, body } = await sent(siteId, { policy: refused ?? '' })
      expect([status, body.error.code]).toEqual([400, 'bad_request'])
      expect(body.error.message).toBe(`policy ${fault}, not ${JSON.stringify(refused)}`)
    }
  })

  test('does not assess sources beyond 5,000, and counts them', async () => {
    const siteId = await sites.api.createSite(sites.tenantId)
    const hosts = Array.from({ length: 5_003 }, (_, index) => `https://h${index}.example/`)
    await sites.api.insertReports(
      hosts.flatMap((blockedUrl) => sites.reportsOf(siteId, { directive: 'img-src', blockedUrl }, 1)),
    )
    const { data, truncated } = await sites.read(siteId, 'check', { policy: 'img-src *' })
    expect(data.totals).toMatchObject({ silent: { reportCount: 5_000 }, unknown: { reportCount: 3 } })
    expect(data.totals.unknownReasons).toEqual([{ reason: 'not_assessed', reportCount: 3, estimatedReportCount: 3 }])
    expect(truncated).toBe(true)
  })

  test('whose reports are not assessed is truncated, and so is the advice: of policies beyond the 200 quoted last', async () => {
    const image = { directive: 'img-src', blockedUrl: 'https://a.example/' }
    const policies = Array.from({ length: 201 }, (_, index) => `default-src 'self'; report-uri /csp/${index}`)
    const siteId = await sites.siteWith(...policies.map((policy) => [{ ...image, policy }, 1] as const))
    for (const [operation, query] of [
      ['check', { policy: 'img-src *' }],
      ['advice', { scope: 'site' }],
    ] as const) {
      const { data, truncated } = await sites.read(siteId, operation, query)
      const { unknown, unknownReasons = unknown.byReason } = data.totals ?? data.effect.before
      expect(unknownReasons).toEqual([{ reason: 'not_assessed', reportCount: 1, estimatedReportCount: 1 }])
      expect(truncated).toBe(true)
    }
  })

  test('and the advice read all reports of a policy whose report-uri has an id of each response, and propose the query of a named one', async () => {
    const image = { directive: 'img-src', blockedUrl: 'https://a.example/' }
    const policies = Array.from({ length: 30 }, (_, index) => `default-src 'self'; report-uri /csp?id=${index}&k=K`)
    const siteId = await sites.claimedSite(...policies.map((policy) => [{ ...image, policy }, 2] as const))
    const policy = "default-src 'self'; report-uri /csp?id=31&k=K"
    const headers = { 'content-security-policy-report-only': policy }
    const sources = [{ directive: 'img-src', source: 'https://a.example' }]
    await servePage(sites.api, { tenantId: sites.tenantId, siteId }, { headers, sources })
    const { data } = await sites.read(siteId, 'advice', { newDays: '0' })
    expect(data.policy.text).toBe("default-src 'self'; report-uri /csp?*")
    expect(data.sources).toMatchObject([{ reportCount: 60 }])
    // A scan keeps no query, and a report's is a claim.
    expect(data.proposed?.text).toContain('report-uri /csp?*')
    const { data: named } = await sites.read(siteId, 'advice', { newDays: '0', policy })
    expect(named).toMatchObject({ policy: { id: data.policy.id }, sources: [{ reportCount: 60 }] })
    expect(named.proposed?.text).toContain('report-uri /csp?id=31&k=K')
    const { data: check } = await sites.read(siteId, 'check', { policy: 'img-src *', policyId: data.policy.id })
    expect(check.totals.silent.reportCount).toBe(60)
  })
})
