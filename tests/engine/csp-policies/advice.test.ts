import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type CspSites, comparablePolicy, decisionsOf, startCspSites } from '../../support/csp-sites.ts'

let sites: CspSites

beforeAll(async () => {
  sites = await startCspSites()
})

afterAll(() => sites?.api.close())

describe('advice', () => {
  test('proposes the policy with the sources that browsers and pages report, and shows what is silent then', async () => {
    const image = { directive: 'img-src', blockedUrl: 'https://img.partner.example/a/b.png', receivedAt: sites.old }
    const siteId = await sites.siteWith(
      image,
      { directive: 'script-src-elem', blockedUrl: 'https://shop.example.test:8443/x.js' },
      { directive: 'script-src-elem', blockedUrl: 'inline', sample: 'go()' },
      [{ directive: 'font-src', blockedUrl: 'https://font.example/f' }, 3],
    )
    const { data, truncated } = await sites.read(siteId, 'advice')
    expect(data.policy).toMatchObject({ disposition: 'report', text: comparablePolicy, truncated: false })
    expect(data.proposed.text).toBe(
      `${comparablePolicy} https://shop.example.test:8443; img-src 'self' https://img.partner.example`,
    )
    expect(data.proposed).toMatchObject({ additions: 2, bytes: data.proposed.text.length })
    expect(decisionsOf({ data })).toEqual([
      ['img-src', 'https://img.partner.example', 'allow', []],
      ['script-src-elem', 'https://shop.example.test:8443', 'allow', []],
      ['font-src', 'https://font.example', 'review', ['low_confidence', 'new_host']],
      ['script-src-elem', 'inline', 'deny', ['inline']],
    ])
    expect(data.sources[0]).toMatchObject({
      expression: 'https://img.partner.example',
      addTo: 'img-src',
      createdFrom: 'default-src',
      party: 'third',
      reportCount: 12,
      noiseCount: 0,
      pageCount: 2,
      browsers: ['Chrome', 'Firefox'],
      confidence: 'high',
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
    const siteId = await sites.siteWith(
      { directive: 'img-src', blockedUrl: 'https://a.example/', receivedAt: sites.old },
      { directive: 'connect-src', blockedUrl: 'https://b.example/x', receivedAt: sites.old },
      { directive: 'style-src-attr', blockedUrl: 'inline' },
      { directive: 'img-src', blockedUrl: 'https://shop.example.test/redirects' },
    )
    const { data } = await sites.read(siteId, 'advice')
    const { data: checked } = await sites.read(siteId, 'check', {
      policy: data.proposed.text,
      policyId: data.policy.id,
    })
    const { byReason, ...unknown } = data.effect.after.unknown
    expect(checked.totals).toMatchObject({ ...data.effect.after, unknown, unknownReasons: byReason })
    expect(byReason).toEqual([{ reason: 'redirect', reportCount: 12, estimatedReportCount: 12 }])
    expect(checked.totals.silent.reportCount).toBe(24)
  })

  test('shows an issue’s reports for each source', async () => {
    const siteId = await sites.siteWith({
      directive: 'img-src',
      blockedUrl: 'https://a.example/',
      receivedAt: sites.old,
    })
    const { data } = await sites.read(siteId, 'advice')
    const path = `/v1/sites/${siteId}/issues/${data.sources[0].issueId}/reports?reportType=csp-violation`
    expect((await sites.api.get(path, { key: sites.key })).body.data).toHaveLength(12)
  })

  test('is of the policy that a scan was served, or of the named one, by its id or text', async () => {
    const other = "img-src 'none'"
    const siteId = await sites.siteWith(
      { directive: 'img-src', blockedUrl: 'https://a.example/' },
      {
        directive: 'img-src',
        blockedUrl: 'https://b.example/',
        policy: other,
        disposition: 'enforce',
        receivedAt: sites.now - 99,
      },
    )
    const { data } = await sites.read(siteId, 'advice')
    expect(data).toMatchObject({ policy: { disposition: 'report' }, sourceCount: 1 })
    const { body } = await sites.api.get(`/v1/sites/${siteId}/csp-policies`, { key: sites.key })
    const { id } = body.data.find((one: { policy: string }) => one.policy === other)
    const named = await sites.read(siteId, 'advice', { policyId: id })
    expect(named.data).toMatchObject({ policy: { id, text: other }, sources: [{ source: 'https://b.example' }] })
    const ofSite = await sites.read(siteId, 'advice', { policyId: id, scope: 'site' })
    expect(ofSite.data.sourceCount).toBe(2)
    expect(ofSite.data.effect.before.violation.reportCount).toBe(24)
    const byText = await sites.read(siteId, 'advice', { policy: `${other};` })
    expect(byText.data).toMatchObject({ base: 'named', policy: { id, text: other }, sourceCount: 1 })
    const candidate = await sites.read(siteId, 'advice', { policy: "img-src 'self'" })
    expect(candidate.data).toMatchObject({ base: 'named', policy: { disposition: 'enforce' }, sourceCount: 0 })
    const unknown = await sites.api.get(`/v1/sites/${siteId}/csp-policies/advice?policyId=${'0'.repeat(32)}`, {
      key: sites.key,
    })
    expect([unknown.status, unknown.body.error.code]).toEqual([404, 'not_found'])
  })

  test('of a site without reports, or without a policy, is empty', async () => {
    for (const siteId of [
      await sites.api.createSite(sites.tenantId),
      await sites.claimedSite({ directive: 'img-src', blockedUrl: 'https://a.example/', policy: '' }),
    ]) {
      const { data, truncated } = await sites.read(siteId, 'advice')
      expect({ ...data, truncated }).toMatchObject({ policy: null, proposed: null, sources: [], truncated: false })
    }
  })

  test('of a policy that was cut proposes none', async () => {
    const long = `img-src ${Array.from({ length: 1_500 }, (_, index) => `h${index}.example`).join(' ')}`
    const siteId = await sites.siteWith({
      directive: 'img-src',
      blockedUrl: 'https://a.test/',
      policy: long,
      receivedAt: sites.old,
    })
    const { body } = await sites.api.get(`/v1/sites/${siteId}/csp-policies`, { key: sites.key })
    const { data } = await sites.read(siteId, 'advice', { policyId: body.data[0].id })
    expect(data).toMatchObject({ policy: { truncated: true }, proposed: null, sources: [{ decision: 'allow' }] })
    expect(data.effect.after).toEqual(data.effect.before)
  })
})
