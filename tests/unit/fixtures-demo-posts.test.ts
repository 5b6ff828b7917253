import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { demoPosts } from '../../fixtures/demo-posts.ts'
import { demoScenarios, pressScenario, shopScenario } from '../../fixtures/demo-scenarios.ts'
import { demoTenant, demoTenants } from '../../fixtures/demo-tenants.ts'
import { day } from '../../schema/durations.ts'
import { plans } from '../../schema/plans.ts'
import { reportTypeNames } from '../../schema/report-types.ts'

const now = new Date('2026-11-21T15:04:05.678Z')

interface Post {
  receivedAt: string
  contentType: string
  userAgent: string
  site?: string
  sampleRate?: number
  body: unknown
}

interface Seen {
  type: string
  host: string | null
  post: Post
  body: Record<string, unknown>
}

/** Every report of a scenario, read the way the import reads it. */
function seen(scenario = shopScenario, reports = 20_000): Seen[] {
  return [...demoPosts({ scenario, now, reports })].flatMap((line) => {
    const post = JSON.parse(line) as Post
    return [post.body].flat().map((element) => {
      const report = element as {
        type: string
        url: string
        body: Seen['body']
        'csp-report'?: Seen['body']
      }
      const legacy = report['csp-report']
      const url = String(legacy === undefined ? report.url : legacy['document-uri'])
      const host = URL.canParse(url) ? new URL(url).host : null
      return {
        type: legacy === undefined ? report.type : 'legacy',
        host,
        post,
        body: legacy ?? report.body,
      }
    })
  })
}

function digest(options: Parameters<typeof demoPosts>[0]): string {
  const hash = createHash('sha256')
  for (const line of demoPosts(options)) hash.update(line)
  return hash.digest('hex')
}

describe('demo posts', () => {
  const reports = seen()

  test('are the same bytes for the same seed and time, and others for another', () => {
    const options = { scenario: shopScenario, now, reports: 3_000 }
    expect(digest(options)).toBe(digest({ ...options, seed: 1 }))
    expect(digest(options)).not.toBe(digest({ ...options, seed: 2 }))
    expect(digest(options)).not.toBe(digest({ ...options, now: new Date(now.getTime() + day) }))
  })

  test('are about as many as asked', () => {
    expect(Math.abs(reports.length - 20_000)).toBeLessThan(100)
    expect(Math.abs(seen(pressScenario, 2_000).length - 2_000)).toBeLessThan(100)
  })

  test('are one line of JSON each, whatever the text in them', () => {
    for (const line of demoPosts({
      scenario: shopScenario,
      now,
      reports: 5_000,
    }))
      expect(line).not.toMatch(/[\r\n]/)
  })

  test('have every stored type, legacy and bare ones, and some that are not stored', () => {
    const types = new Set(reports.map(({ type }) => type))
    for (const type of reportTypeNames) expect(types).toContain(type)
    for (const type of ['legacy', 'csp-hash', 'potential-permissions-policy-violation']) expect(types).toContain(type)
    expect(reports.some(({ post }) => !Array.isArray(post.body) && 'type' in (post.body as object))).toBe(true)
    expect(reports.some(({ body, type }) => type === 'network-error' && body.type === 'ok')).toBe(true)
  })

  test.each(demoScenarios)('of $tenant.name arrive on every day it looks back on, and on no other', (scenario) => {
    const times = seen(scenario, 6_000).map(({ post }) => Date.parse(post.receivedAt))
    const start = now.getTime() - scenario.days * day
    expect(Math.min(...times)).toBeGreaterThanOrEqual(start)
    expect(Math.max(...times)).toBeLessThan(now.getTime())
    expect(new Set(times.map((time) => Math.floor(time / day))).size).toBe(scenario.days + 1)
    expect(scenario.days).toBeLessThanOrEqual(plans[scenario.tenant.plan].retentionDays)
  })

  test('come day by day, mixed within the day', () => {
    const days = reports.map(({ post }) => post.receivedAt.slice(0, 10))
    expect(days).toEqual(days.toSorted())
    const times = reports.map(({ post }) => post.receivedAt)
    expect(times).not.toEqual(times.toSorted())
  })

  test.each(demoScenarios)('of $tenant.name are about hosts of its sites, or name their site', (scenario) => {
    const hosts = new Set(scenario.tenant.sites.flatMap((site) => site.hosts))
    const ids = new Set(scenario.tenant.sites.map(({ id }) => id))
    for (const { host, post } of seen(scenario, 6_000)) {
      if (post.site !== undefined) expect(ids).toContain(post.site)
      if (post.site === undefined || host !== null) expect(hosts).toContain(host)
    }
  })

  test('of the second tenant mention no host of the first', () => {
    const foreign = demoTenant.sites.flatMap(({ hosts }) => hosts.map((host) => `//${host}/`))
    for (const line of demoPosts({ scenario: pressScenario, now })) {
      expect(foreign.filter((host) => line.includes(host))).toEqual([])
    }
  })

  test('are sampled as a collector and a browser sample', () => {
    const crashes = reports.filter(({ type }) => type === 'crash')
    expect(new Set(crashes.map(({ post }) => post.sampleRate))).toEqual(new Set([0.5]))
    const fractions = reports.filter(({ type }) => type === 'network-error').map(({ body }) => body.sampling_fraction)
    expect(Math.min(...fractions.map(Number))).toBe(0.05)
    expect(Math.max(...fractions.map(Number))).toBe(1)
    expect(reports.some(({ post, type }) => type === 'csp-violation' && post.sampleRate === 0.1)).toBe(true)
  })

  test('come from about sixty kinds of browser', () => {
    const agents = reports.map(({ post }) => post.userAgent.replaceAll(/\d+(\.\d+)+/g, ''))
    expect(new Set(agents).size).toBeGreaterThanOrEqual(45)
    expect(agents).toContain('')
  })

  test('show a deploy that breaks payment for six hours, and an outage', () => {
    const broken = reports.filter(({ body }) => String(body.blockedURL ?? body['blocked-uri']).includes('//pay.'))
    const hours = broken.filter(({ post }) => post.receivedAt >= '2026-11-01').map(({ post }) => post.receivedAt)
    expect(hours.length).toBeGreaterThan(100)
    expect(hours.every((time) => time >= '2026-11-19T13' && time < '2026-11-19T19')).toBe(true)
    const failing = reports.filter(
      ({ type, post }) => type === 'network-error' && post.receivedAt.startsWith('2026-11-17'),
    )
    expect(failing.filter(({ body }) => body.type === 'tcp.timed_out').length).toBeGreaterThan(60)
  })

  test('start a deprecation with a browser release', () => {
    const days = reports.filter(({ body }) => body.id === 'UnloadHandler').map(({ post }) => post.receivedAt)
    expect(days.length).toBeGreaterThan(50)
    expect(days.every((time) => time >= '2026-11-09')).toBe(true)
  })
})

describe('demo tenants', () => {
  test('share no id and no host', () => {
    const sites = demoTenants.flatMap((tenant) => tenant.sites)
    const ids = [...demoTenants, ...sites].map(({ id }) => id)
    const hosts = sites.flatMap((site) => site.hosts)
    expect(new Set(ids).size).toBe(ids.length)
    expect(new Set(hosts).size).toBe(hosts.length)
    expect(hosts).toEqual(hosts.map((host) => host.toLowerCase()))
  })
})
