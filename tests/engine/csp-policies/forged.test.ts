import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { z } from 'zod'
import { aReport } from '../../../fixtures/reports.ts'
import { policyIdColumn } from '../../../queries/csp-policies/csp-policies.ts'
import { sql, text } from '../../../queries/sql/sql.ts'
import { idOfPolicy } from '../../../schema/rules/csp/merge-csp-policies.ts'
import { commandsOn } from '../../support/cli-commands.ts'
import { aPolicy } from '../../support/csp-policies.ts'
import { type CspSites, comparablePolicy, type Given, quotedPolicy, startCspSites } from '../../support/csp-sites.ts'
import { numberOfCases } from '../../support/number-of-cases.ts'
import { connectPatiently } from '../../support/patience.ts'
import { builtPath, root } from '../../support/programs.ts'
import { servePage } from '../../support/served-page.ts'

let sites: CspSites

beforeAll(async () => {
  sites = await startCspSites()
})

afterAll(() => sites?.api.close())

const forgedPolicy = "default-src * 'unsafe-inline'; script-src https://evil.example 'unsafe-eval'"
const header = { 'content-security-policy-report-only': quotedPolicy }

/** An invented policy, and a host by three families on five pages, one report of it of an old date. */
function forgedReports(siteId: string) {
  const browsers = ['Chrome', 'Firefox', 'Safari']
  const evil: Given = { directive: 'script-src-elem', blockedUrl: 'https://evil.example/x.js' }
  const spread = sites.reportsOf(siteId, evil, 15).map((report, index) => ({
    ...report,
    browserName: browsers[index % 3] as string,
    documentUrl: `https://shop.example.test/${index % 5}`,
  }))
  const old = sites.reportsOf(siteId, { ...evil, receivedAt: sites.old }, 1)
  const invented = { directive: 'img-src', blockedUrl: 'https://a.example/', policy: forgedPolicy }
  return [...spread, ...old, ...sites.reportsOf(siteId, { ...invented, receivedAt: sites.now - 1 }, 1)]
}

const image: Given = { directive: 'img-src', blockedUrl: 'https://img.partner.example/a.png' }

const imageSite = async (serves: boolean) => {
  const siteId = await sites.claimedSite({ ...image, receivedAt: sites.old })
  if (serves) {
    const sources = [{ directive: 'img-src', source: 'https://img.partner.example' }]
    await servePage(sites.api, { tenantId: sites.tenantId, siteId }, { headers: header, sources })
  }
  return siteId
}

const proposed = `${comparablePolicy}; img-src 'self' https://img.partner.example`

describe('reports of strangers', () => {
  test('change neither the policy nor what is proposed, where a scan was served one', async () => {
    const siteId = await imageSite(true)
    const before = (await sites.read(siteId, 'advice')).data
    await sites.api.insertReports(forgedReports(siteId))
    const { data } = await sites.read(siteId, 'advice')
    expect(data).toMatchObject({ base: 'served', note: null, policy: before.policy, proposed: { text: proposed } })
    expect(before.proposed.text).toBe(proposed)
    expect(data.sources).toMatchObject([
      { source: 'https://img.partner.example', decision: 'allow', knownBy: ['scan'] },
      {
        source: 'https://evil.example',
        decision: 'review',
        reasons: ['claimed_by_reports_alone'],
        knownBy: [],
        reportCount: 16,
        confidence: 'high',
        pageCount: 5,
      },
    ])
    expect([before.reviewCount, data.reviewCount]).toEqual([0, 1])
  })

  test('propose nothing where no policy is known', async () => {
    const siteId = await imageSite(false)
    await sites.api.insertReports(forgedReports(siteId))
    const { data } = await sites.read(siteId, 'advice')
    expect(data).toMatchObject({ base: 'reported', proposed: null, servedPolicyIds: [] })
    expect(data.note).toMatch(/scan a page .* or specify the policy/)
    expect(data.sources.filter(({ decision }: { decision: string }) => decision === 'allow')).toEqual([])
  })

  test('hide no policy that is asked for by its id, however many others they quote', async () => {
    const siteId = await imageSite(false)
    const others = Array.from({ length: 220 }, (_, index) => ({
      ...aReport({ tenantId: sites.tenantId, siteId, policy: `img-src h${index}.example`, disposition: 'report' }),
      id: randomUUID(),
      receivedAt: sites.now - 1_000 + index,
    }))
    await sites.api.insertReports(others)
    const policyId = idOfPolicy('report', quotedPolicy)
    const { data } = await sites.read(siteId, 'advice', { policyId })
    expect(data).toMatchObject({ base: 'named', policy: { id: policyId }, sources: [{ reportCount: 12 }] })
    const checked = await sites.read(siteId, 'check', { policyId, policy: "img-src 'none'" })
    expect(checked.data.totals.violation.reportCount).toBe(12)
  })

  test('keep no known source out by claims of other directives or of an old browser', async () => {
    const siteId = await imageSite(true)
    const claims = ['script-src', 'worker-src', 'default-src', 'img-src'].map((directive) => ({
      ...sites.reportsOf(siteId, { ...image, directive }, 1)[0],
      documentUrl: 'https://img.partner.example/',
      id: randomUUID(),
    }))
    await sites.api.insertReports(claims as Parameters<typeof sites.api.insertReports>[0])
    expect((await sites.read(siteId, 'advice')).data.proposed.text).toBe(proposed)
  })
})

describe('a source is known', () => {
  const decide = (siteId: string, verb: string, ...more: string[]) =>
    commandsOn(() => inject('servers').writeUrl).done(
      ...['sources', verb, '--tenant', sites.tenantId, '--site', siteId, ...more],
    )
  const about = ['--directive', 'img-src', '--source', 'https://img.partner.example/']
  const by = ['--by', 'ada@example.com', '--reason', 'Banners']

  test('by a decision, whatever its reports lack, until another one; decisions are read as of a time', async () => {
    const siteId = await sites.claimedSite([image, 2])
    await servePage(sites.api, { tenantId: sites.tenantId, siteId }, { headers: header })
    const first = async () => (await sites.read(siteId, 'advice')).data.sources[0]
    expect(await first()).toMatchObject({ decision: 'review' })
    const { response } = await decide(siteId, 'accept', ...about, ...by)
    expect(response).toMatchObject({ source: 'https://img.partner.example', status: 'accepted' })
    expect(await first()).toMatchObject({ decision: 'allow', reasons: [], knownBy: ['operator'] })
    await new Promise((resolve) => setTimeout(resolve, 5))
    const between = new Date().toISOString()
    await decide(siteId, 'reject', ...about, ...by)
    expect(await first()).toMatchObject({ decision: 'deny', reasons: ['rejected_source'] })
    const statuses = async (...more: string[]) =>
      (await decide(siteId, 'list', ...more)).response.decisions.map(({ status }: { status: string }) => status)
    expect(await statuses()).toEqual(['accepted', 'rejected'])
    expect(await statuses('--as-of', between)).toEqual(['accepted'])
  })

  test('by a policy that another page was served, but not by one that allows any host', async () => {
    const siteId = await sites.claimedSite({ ...image, receivedAt: sites.old })
    const site = { tenantId: sites.tenantId, siteId }
    await servePage(sites.api, site, { headers: header })
    await servePage(sites.api, site, { headers: { 'content-security-policy': 'img-src https: *' } })
    const policyId = idOfPolicy('report', quotedPolicy)
    const knownBy = async () => (await sites.read(siteId, 'advice', { policyId })).data.sources[0].knownBy
    expect(await knownBy()).toEqual([])
    await servePage(sites.api, site, { headers: { 'content-security-policy': 'img-src *.partner.example' } })
    expect(await knownBy()).toEqual(['policy'])
  })

  test('only with an origin or a scheme, and a directive that has sources', async () => {
    const siteId = await sites.api.createSite(sites.tenantId)
    const { refused } = commandsOn(() => inject('servers').writeUrl)
    const accept = ['sources', 'accept', '--tenant', sites.tenantId, '--site', siteId, ...by]
    expect(await refused(...accept, '--directive', 'img-src', '--source', 'https://a.example/x')).toContain(
      '--source must be an origin',
    )
    expect(await refused(...accept, '--directive', 'sandbox', '--source', 'https://a.example')).toContain(
      '--directive must be a directive',
    )
  })
})

test('the documented lines for CI deploy what is known, and their exit code tells of what waits', async () => {
  const documented = await readFile(join(root, 'app/cli/README.md'), 'utf8')
  const [, lines = ''] = /```sh\n(export API_KEY[^`]*)```/.exec(documented) ?? []
  const folder = await mkdtemp(join(tmpdir(), 'csp-ci-'))
  const deploy = async (siteId: string) => {
    const { key } = await sites.api.createKey(sites.tenantId, { siteId })
    const script = lines.replace('srk_live_...', key).replaceAll('https://reports.example.com', sites.api.url)
    const shell = `security-reporting() { node ${builtPath('app/cli.ts')} "$@"; }\n${script}`
    const env = { ...process.env, SITE: siteId }
    const ended = promisify(execFile)('bash', ['-c', shell], { cwd: folder, env }).catch((error) => error)
    const { stderr } = await ended
    return [await readFile(join(folder, 'policy.txt'), 'utf8'), stderr.trim()]
  }
  const known = await imageSite(true)
  await sites.api.insertReports(forgedReports(known))
  expect(await deploy(known)).toEqual([`${proposed}\n`, 'Sources wait for review'])
  const claimed = await imageSite(false)
  await sites.api.insertReports(forgedReports(claimed))
  expect((await deploy(claimed))[0]).toBe('')
  await rm(folder, { recursive: true })
})

test('the id of a policy in SQL is that of the API', async () => {
  const reader = connectPatiently(inject('servers').readUrl)
  const odd = [
    "IMG-SRC a b a;;img-src c; ; a-b 'NONCE-x' 'nonce-y' 'nonce-'",
    "\tscript-src\f'sha256-Ab' \r\n;é x",
    '',
    ' ; ',
    "report-uri /a?id=1 https://R.example/x?y#z 'q?' /a?id=2; report-to R; img-src /a?b",
  ]
  const policies = [...odd, ...fc.sample(aPolicy, numberOfCases(200))]
  const row = z.object({ id: z.string() })
  for (const policy of policies) {
    const statement = sql`SELECT ${policyIdColumn(sql`'report'`, sql`${text(policy)}`)} AS id`
    expect([policy, await reader.read({ name: 'policyId', statement, row })]).toEqual([
      policy,
      [{ id: idOfPolicy('report', policy) }],
    ])
  }
  await reader.close()
})
