import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { aReport } from '../../../fixtures/reports.ts'
import type { Database } from '../../../queries/clickhouse/database.ts'
import { insertRows } from '../../../queries/clickhouse/insert-rows.ts'
import { toClickHouseTime } from '../../../queries/sql/sql.ts'
import { dayMs } from '../../../schema/durations.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import { queryRows } from '../../support/database.ts'
import { connectPatiently } from '../../support/patience.ts'
import { readPages } from '../../support/read-pages.ts'
import type { TestKey } from '../../support/tenants.ts'

const now = Date.now()
const [recently, before, from] = [now - dayMs, now - 20 * dayMs, now - 7 * dayMs]

/** Names of the statements that were sent. */
const reads: string[] = []

let api: TestApi
let writer: Database
let tenantId: string
let key: TestKey

beforeAll(async () => {
  writer = connectPatiently(inject('servers').writeUrl)
  api = await startApi({ now: () => new Date(now), onRead: ({ name }) => reads.push(name) })
  tenantId = await api.createTenant({ overrides: { retentionDays: 90 } })
  const siteId = await api.createSite(tenantId)
  key = await api.createKey(tenantId)
  const report = (issueHost: string, receivedAt: number) => aReport({ tenantId, siteId, issueHost, receivedAt })
  // Each insert is a part: those of an issue can be unmerged.
  await api.insertReports([report('new.test', recently), report('old.test', before), report('expired.test', recently)])
  await api.insertReports([report('new.test', recently - 60_000), report('old.test', recently)])
  const [[issueKey] = []] = await queryRows(
    writer,
    `SELECT toString(issue_key) FROM reports WHERE tenant_id = '${tenantId}' AND issue_host = 'expired.test'`,
  )
  const [first, last] = [toClickHouseTime(new Date(now - 400 * dayMs)), toClickHouseTime(new Date(now - 395 * dayMs))]
  const sighting = { tenant_id: tenantId, report_type: 'csp-violation', site_id: siteId, issue_key: issueKey }
  await insertRows(writer, 'issue_first_seen', [
    { ...sighting, first_seen_at: first, last_seen_at: last, stored_at: first, noise: false },
  ])
})

afterAll(() => Promise.all([api?.close(), writer?.close()]))

const list = (params: Record<string, string>) =>
  readPages(api, key, '/v1/issues', { from: new Date(from).toISOString(), total: 'true', ...params })

const hostsOf = ({ data }: Awaited<ReturnType<typeof list>>) =>
  data.map(({ targetHost }: { targetHost: string }) => targetHost).sort()

test('new issues are those without a report before the window, expired ones included', async () => {
  const found = await list({ new: 'true' })
  expect(hostsOf(found)).toEqual(['new.test'])
  expect(found.rest).toMatchObject({ issueCount: 1 })
  const firstSeenEver = new Date(recently - 60_000).toISOString()
  expect(found.data).toMatchObject([{ firstSeen: firstSeenEver, firstSeenEver }])
})

test('all issues are listed without the filter, and with its opposite, none with a first sighting', async () => {
  for (const params of [{}, { new: 'false' }]) {
    const found = await list(params)
    expect(hostsOf(found)).toEqual(['expired.test', 'new.test', 'old.test'])
    expect(found.rest).toMatchObject({ issueCount: 3 })
    for (const issue of found.data) expect(issue).not.toHaveProperty('firstSeenEver')
  }
})

test('a window from before a first sighting has it as a new one', async () => {
  const found = await list({ new: 'true', from: new Date(before - 1).toISOString() })
  expect(hostsOf(found)).toEqual(['new.test', 'old.test'])
})

describe('the first page of new issues', () => {
  let ofSightings: TestKey

  beforeAll(async () => {
    const owner = { tenantId: await api.createTenant({ overrides: { retentionDays: 90 } }) }
    const siteId = await api.createSite(owner.tenantId)
    ofSightings = await api.createKey(owner.tenantId)
    const report = (issueHost: string, receivedAt: number) => aReport({ ...owner, siteId, issueHost, receivedAt })
    await api.insertReports([report('first.test', recently - 2), report('later.test', recently - 1)])
    await api.insertReports([report('first.test', recently + 60_000), report('old.test', before)])
    const [earlier, at] = [recently - 5 * dayMs, recently].map((time) => toClickHouseTime(new Date(time)))
    const expired = { issue_key: '42', first_seen_at: earlier, last_seen_at: earlier, stored_at: at, noise: false }
    const ofSite = { tenant_id: owner.tenantId, report_type: 'csp-violation', site_id: siteId }
    await insertRows(writer, 'issue_first_seen', [{ ...ofSite, ...expired }])
  })

  const firstPage = async (params: Record<string, string>) => {
    reads.length = 0
    const query = new URLSearchParams({ new: 'true', from: new Date(from).toISOString(), ...params })
    const { body } = await api.get(`/v1/issues?${query}`, { key: ofSightings })
    const hosts = body.data.map(({ targetHost }: { targetHost: string }) => targetHost)
    return { hosts, ranked: reads.filter((name) => /^list(New)?Issues$/.test(name)), issueCount: body.issueCount }
  }

  test('reads no reports to find and rank them', async () => {
    expect(await firstPage({ limit: '1' })).toMatchObject({ hosts: ['first.test'], ranked: ['listNewIssues'] })
    const from = new Date(recently - dayMs).toISOString()
    expect(await firstPage({ from })).toMatchObject({ hosts: ['first.test', 'later.test'], ranked: ['listNewIssues'] })
  })

  test('is its own count where it has all of them', async () => {
    expect(await firstPage({ total: 'true' })).toMatchObject({ issueCount: 2 })
    expect(reads).not.toContain('countIssues')
    expect(await firstPage({ total: 'true', limit: '1' })).toMatchObject({ issueCount: 2 })
    expect(reads).toContain('countIssues')
  })

  test('ranks by reports the issues of a window after which one was seen again', async () => {
    const { hosts, ranked } = await firstPage({ to: new Date(recently).toISOString() })
    expect(hosts).toEqual(['later.test', 'first.test'])
    expect(ranked).toContain('listIssues')
  })

  test('has none whose reports have expired, and is filled with others', async () => {
    const { hosts, ranked } = await firstPage({ limit: '3' })
    expect(hosts).toEqual(['first.test', 'later.test'])
    expect(ranked).toContain('listIssues')
  })
})
