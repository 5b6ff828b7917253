import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeSiteToken } from '../../../app/collector/site-address.ts'
import { checkRollups } from '../../../clickhouse/rollups/check-rollups.ts'
import { dayMs } from '../../../schema/durations.ts'
import { otherIssues } from '../../../schema/issue-id.ts'
import { newValuesPerDay } from '../../../schema/plans.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import { cli } from '../../support/cli.ts'
import { startTestCollector, type TestCollector } from '../../support/collector.ts'
import { queryRows, type TestDatabase } from '../../support/database.ts'
import { createMigratedDatabase } from '../../support/migrated-database.ts'
import type { TestKey } from '../../support/tenants.ts'

const { issue: mostIssues, script: mostScripts } = newValuesPerDay.team
const page = 'https://shop.example/cart'

let database: TestDatabase
let api: TestApi
let collector: TestCollector
let tenantId: string
let key: TestKey

beforeAll(async () => {
  database = await createMigratedDatabase()
  api = await startApi(database)
  collector = await startTestCollector({ CLICKHOUSE_URL: database.writeUrl })
  tenantId = await api.createTenant({ plan: 'team', overrides: {} })
  key = await api.createKey(tenantId)
})

afterAll(async () => {
  await collector?.close()
  await api?.close()
  await database?.drop()
})

const violation = (host: string, directive = 'script-src-elem') => ({
  type: 'csp-violation',
  age: 0,
  url: page,
  body: { documentURL: page, blockedURL: host, effectiveDirective: directive, disposition: 'enforce' },
})

const script = (name: string) => ({
  type: 'csp-hash',
  age: 0,
  url: page,
  body: {
    documentURL: page,
    destination: 'script',
    subresourceURL: `https://cdn.example/${name}.js`,
    hash: `sha256-${name}`,
  },
})

const invented = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, index) => violation(`https://${prefix}${index}.invalid/a.js?${index}`))

const post = async (token: string, reports: readonly unknown[], to = collector) =>
  expect((await to.post(token, reports)).status).toBe(204)

const rows = (statement: string) => queryRows(database.writer, statement)

const issuesOf = (siteId: string, further = '') =>
  rows(
    `SELECT uniq(issue_key), uniqIf(issue_key, issue_subject = '${otherIssues}') FROM reports WHERE site_id = '${siteId}' ${further}`,
  )

test('issues above the bound of a day are one, which every collector and a restarted one agree on', async () => {
  const token = makeSiteToken()
  const siteId = await api.createSite(tenantId, { hosts: ['shop.example'], token })
  const [quietToken, other] = [makeSiteToken(), await startTestCollector({ CLICKHOUSE_URL: database.writeUrl })]
  const quietId = await api.createSite(tenantId, { hosts: ['shop.example'], token: quietToken })
  await post(token, invented(300, 'a'))
  await post(token, invented(300, 'b'), other)
  await post(token, [...invented(300, 'a'), ...invented(200, 'c'), violation('inline'), violation('inline', 'made-up')])
  await other.close()
  await post(quietToken, invented(20, 'c'))
  expect(await issuesOf(siteId)).toEqual([[mostIssues + 2, 1]])
  expect(await issuesOf(quietId)).toEqual([[20, 0]])
  expect(await issuesOf(siteId, `AND blocked_host LIKE 'a%'`)).toEqual([[300, 0]])
  expect(await issuesOf(siteId, `AND blocked_host = 'inline'`)).toEqual([[2, 1]])
  const sightings = `SELECT uniq(issue_key) FROM issue_first_seen WHERE site_id = '${siteId}'`
  expect(await rows(sightings)).toEqual([[mostIssues + 2]])
  const window = `siteId=${siteId}&last=PT1H`
  const { data } = (await api.get(`/v1/issues?${window}&subject=${encodeURIComponent(otherIssues)}`, { key })).body
  const stored = { targetHost: otherIssues, reportCount: 301, otherIssueCount: 301, firstSeen: expect.any(String) }
  expect(data).toEqual([expect.objectContaining(stored)])
  const ofIssue = `${window}&reportType=csp-violation&issueId=${data[0].id}`
  expect((await api.get(`/v1/reports/count?${ofIssue}`, { key })).body.data.reportCount).toBe(301)
  const listed = (await api.get(`/v1/reports?${ofIssue}&blockedHost=c0.invalid`, { key })).body.data
  expect(listed).toEqual([expect.objectContaining({ blockedUrl: 'https://c0.invalid/a.js?0' })])
  expect((await checkRollups(database.writer)).differences).toEqual([])
})

test('above the bound a day has room for as many issues of high confidence', async () => {
  const token = makeSiteToken()
  const siteId = await api.createSite(tenantId, { hosts: ['shop.example'], token })
  await post(token, invented(mostIssues, 'a'))
  const agents = ['Chrome/140.0.0.0 Safari/537.36', 'Firefox/145.0'].map((name) => `Mozilla/5.0 (X11; Linux) ${name}`)
  const sent = (host: string, agent = '') => ({ ...violation(`https://${host}/`), user_agent: agent })
  const both = Array.from({ length: 10 }, (_, index) => sent('true.test', agents[index % 2]))
  const one = Array.from({ length: 10 }, () => sent('one-browser.test', agents[0]))
  await post(token, [...both, ...one])
  expect(await issuesOf(siteId, `AND blocked_host = 'true.test'`)).toEqual([[1, 0]])
  expect(await issuesOf(siteId, `AND blocked_host = 'one-browser.test'`)).toEqual([[1, 1]])
})

test('scripts above the bound of a day are not in the inventory', async () => {
  const token = makeSiteToken()
  const siteId = await api.createSite(tenantId, { hosts: ['shop.example'], token })
  for (const prefix of ['a', 'b', 'a']) {
    await post(
      token,
      Array.from({ length: mostScripts - 50 }, (_, index) => script(`${prefix}${index}`)),
    )
  }
  const versions = `SELECT uniq(script_url, script_hash) FROM script_versions WHERE site_id = '${siteId}'`
  expect(await rows(versions)).toEqual([[mostScripts]])
  const without = `SELECT count(), uniq(request_url) FROM reports WHERE site_id = '${siteId}' AND script_url = ''`
  expect(await rows(without)).toEqual([[mostScripts - 100, mostScripts - 100]])
  const { data } = (await api.get(`/v1/sites/${siteId}/scripts?last=PT1H&limit=1000`, { key })).body
  expect(data.length).toBe(mostScripts)
  expect((await checkRollups(database.writer)).differences).toEqual([])
})

test('an import has the bound for each day of its reports, and the same import stores the same', async () => {
  const siteId = await api.createSite(tenantId, { hosts: ['shop.example'] })
  const ofDay = (days: number) =>
    JSON.stringify({
      receivedAt: new Date(Date.now() - days * dayMs).toISOString(),
      site: siteId,
      body: invented(mostIssues + 100, `day${days}-`),
    })
  const stdin = `${ofDay(2)}\n${ofDay(1)}\n`
  const environment = { CLICKHOUSE_URL: database.writeUrl }
  for (let run = 0; run < 2; run++) {
    expect((await cli(['import', 'reports', '--tenant', tenantId, '-'], { environment, stdin })).code).toBe(0)
    expect(await issuesOf(siteId)).toEqual([[2 * mostIssues + 1, 1]])
  }
  expect((await checkRollups(database.writer)).differences).toEqual([])
})
