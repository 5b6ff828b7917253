import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { scriptDecisions } from '../../../app/import/records/types/script-decisions.ts'
import { dayMs } from '../../../schema/durations.ts'
import { cli } from '../../support/cli.ts'
import { type CspSites, decisionsOf, startCspSites } from '../../support/csp-sites.ts'

let sites: CspSites

beforeAll(async () => {
  sites = await startCspSites()
})

afterAll(() => sites?.api.close())

describe('advice', () => {
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
      decisionsOf(await sites.read(siteId, 'advice')).map(([, source, , found]) => [source, found]),
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

  test('reviews a bypass behind 150 other origins', async () => {
    const script = (host: string) =>
      ({ directive: 'script-src-elem', blockedUrl: `https://${host}/x.js`, receivedAt: sites.old }) as const
    const others = Array.from({ length: 150 }, (_, index) => script(`h${index}.example`))
    const siteId = await sites.siteWith(...others, [script('cdn.jsdelivr.net'), 11])
    const sources = decisionsOf(await sites.read(siteId, 'advice', { limit: '200' }))
    expect(sources.map(([, , decision]) => decision)).toEqual([...others.map(() => 'allow'), 'review'])
    expect(sources.at(-1)?.[3]).toEqual(['bypass'])
  })

  test('knows the decisions on a site’s scripts', async () => {
    const script = (host: string) =>
      ({ directive: 'script-src-elem', blockedUrl: `https://${host}/x.js`, receivedAt: sites.old }) as const
    const siteId = await sites.siteWith(script('good.example'), script('bad.example'), script('other.example'))
    const decision = (host: string, status: string) => ({
      id: randomUUID(),
      siteId,
      url: `https://${host}/y.js`,
      status,
      integrityMode: status === 'authorized' ? 'any_content' : null,
      decidedBy: { name: null, email: 'a@example.com' },
      decidedAt: new Date(sites.now - dayMs).toISOString(),
    })
    await sites.api.importRecords(sites.tenantId, scriptDecisions, [
      decision('good.example', 'authorized'),
      decision('bad.example', 'rejected'),
    ])
    expect(decisionsOf(await sites.read(siteId, 'advice'))).toEqual([
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
      id: randomUUID(),
      siteId,
      url: 'https://other.example/y.js',
      status: 'authorized',
      integrityMode: 'any_content',
      decidedBy: { name: null, email: 'a@example.com' },
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
})
