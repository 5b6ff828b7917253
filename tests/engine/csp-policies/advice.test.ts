import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { scriptDecisions } from '../../../app/import/records/types/script-decisions.ts'
import { dayMs } from '../../../schema/durations.ts'
import { cli } from '../../support/cli.ts'
import { type CspSites, comparablePolicy, startCspSites } from '../../support/csp-sites.ts'

let sites: CspSites

beforeAll(async () => {
  sites = await startCspSites()
})

afterAll(() => sites?.api.close())

const reasonsOf = (body: { data: { sources: Record<string, unknown>[] } }) =>
  body.data.sources.map(({ directive, source, decision, reasons }) => [directive, source, decision, reasons])

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

  test('is of the policy quoted last, a report-only one before an enforced one, or of the named one', async () => {
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
    const unknown = await sites.api.get(`/v1/sites/${siteId}/csp-policies/advice?policyId=${'0'.repeat(32)}`, {
      key: sites.key,
    })
    expect([unknown.status, unknown.body.error.code]).toEqual([404, 'not_found'])
  })

  test('reviews what is new, shared, insecure or a bypass, and takes the rule of the request', async () => {
    const script = (host: string, receivedAt = sites.old) =>
      ({ directive: 'script-src-elem', blockedUrl: `https://${host}/x.js`, receivedAt }) as const
    const siteId = await sites.siteWith(
      script('new.example', sites.now - 3 * dayMs),
      script('somebody.github.io'),
      script('ajax.googleapis.com'),
      script('cdn.shop-assets.example'),
      { directive: 'script-src-elem', blockedUrl: 'http://plain.example/', receivedAt: sites.old },
      [script('few.example'), 4],
    )
    const reasons = Object.fromEntries(
      reasonsOf(await sites.read(siteId, 'advice')).map(([, source, , found]) => [source, found]),
    )
    expect(reasons).toEqual({
      'https://new.example': ['new_destination'],
      'https://somebody.github.io': ['shared_host'],
      'https://ajax.googleapis.com': ['shared_host', 'bypass'],
      'https://cdn.shop-assets.example': [],
      'http://plain.example': ['insecure'],
      'https://few.example': ['low_confidence'],
    })
    const { data } = await sites.read(siteId, 'advice', { minConfidence: 'medium', newDays: '2' })
    const allowed = data.sources.filter((one: { decision: string }) => one.decision === 'allow')
    expect(allowed.map((one: { source: string }) => one.source).sort()).toEqual(
      ['cdn.shop-assets.example', 'few.example', 'new.example'].map((host) => `https://${host}`),
    )
    expect(data.evaluation.evaluator).toMatch(/^csp_evaluator /)
  })

  test('knows the decisions on a site’s scripts', async () => {
    const script = (host: string) =>
      ({ directive: 'script-src-elem', blockedUrl: `https://${host}/x.js`, receivedAt: sites.old }) as const
    const siteId = await sites.siteWith(script('good.example'), script('bad.example'), script('other.example'))
    const decision = (host: string, status: string) => ({
      ...{ id: randomUUID(), siteId, url: `https://${host}/y.js`, status },
      integrityMode: status === 'authorized' ? 'any_content' : null,
      ...{ decidedBy: { name: null, email: 'a@example.com' }, decidedAt: new Date(sites.now - dayMs).toISOString() },
    })
    await sites.api.importRecords(sites.tenantId, scriptDecisions, [
      decision('good.example', 'authorized'),
      decision('bad.example', 'rejected'),
    ])
    expect(reasonsOf(await sites.read(siteId, 'advice'))).toEqual([
      ['script-src-elem', 'https://good.example', 'allow', []],
      ['script-src-elem', 'https://other.example', 'review', ['unauthorized_script']],
      ['script-src-elem', 'https://bad.example', 'deny', ['rejected_script']],
    ])
  })

  test('is not modified until reports, a script decision or the site’s hosts change it', async () => {
    const script = { directive: 'script-src-elem', blockedUrl: 'https://cdn.example/x.js', receivedAt: sites.old }
    const siteId = await sites.siteWith(script)
    const send = (headers = {}) => sites.api.get(`/v1/sites/${siteId}/csp-policies/advice`, { key: sites.key, headers })
    const decision = {
      ...{ id: randomUUID(), siteId, url: 'https://other.example/y.js', status: 'authorized' },
      ...{ integrityMode: 'any_content', decidedBy: { name: null, email: 'a@example.com' } },
      decidedAt: new Date(sites.now - dayMs).toISOString(),
    }
    const hosts = ['--tenant', sites.tenantId, '--site', siteId, '--host', 'cdn.example']
    const changes: (readonly [change: () => Promise<unknown>, expected: readonly unknown[]])[] = [
      [async () => undefined, [12, 'third', []]],
      [() => sites.api.insertReports(sites.reportsOf(siteId, script, 5)), [17, 'third', []]],
      [
        () => sites.api.importRecords(sites.tenantId, scriptDecisions, [decision]),
        [17, 'third', ['unauthorized_script']],
      ],
      [
        () => cli(['sites', 'update', ...hosts], { environment: { CLICKHOUSE_URL: inject('servers').writeUrl } }),
        [17, 'own', ['unauthorized_script']],
      ],
    ]
    let known = ''
    for (const [change, expected] of changes) {
      await change()
      const { status, headers, body } = await send({ 'If-None-Match': known })
      const [{ reportCount, party, reasons }] = body.data.sources
      expect([status, reportCount, party, reasons]).toEqual([200, ...expected])
      known = headers.get('ETag') ?? ''
    }
    expect((await send({ 'If-None-Match': known })).status).toBe(304)
  })

  test('of a site without reports, or without a policy, is empty', async () => {
    for (const siteId of [
      await sites.api.createSite(sites.tenantId),
      await sites.siteWith({ directive: 'img-src', blockedUrl: 'https://a.example/', policy: '' }),
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
    const { data } = await sites.read(siteId, 'advice')
    expect(data).toMatchObject({ policy: { truncated: true }, proposed: null, sources: [{ decision: 'allow' }] })
    expect(data.effect.after).toEqual(data.effect.before)
  })
})
