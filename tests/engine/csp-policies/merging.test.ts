import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { aReport } from '../../../fixtures/reports.ts'
import { dayMs } from '../../../schema/durations.ts'
import { oracleCspPolicies } from '../../oracles/csp-policy-oracle.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import { queryRows } from '../../support/database.ts'
import { firstHalfOfMd5 } from '../../support/md5.ts'
import { connectPatiently } from '../../support/patience.ts'
import { readPages } from '../../support/read-pages.ts'
import type { TestKey } from '../../support/tenants.ts'

const now = Date.now()

let api: TestApi
let key: TestKey
let tenantId: string

beforeAll(async () => {
  api = await startApi({ now: () => new Date(now) })
  tenantId = await api.createTenant()
  key = await api.createKey(tenantId)
})

afterAll(() => api?.close())

const policiesOf = (siteId: string) => `/v1/sites/${siteId}/csp-policies`

test('a policy that was truncated when it was stored is marked, however little of it is there', async () => {
  const siteId = await api.createSite(tenantId)
  const policy = `img-src ${'a.test '.repeat(5_000)}`
  const shown = (length: number, age: number) =>
    aReport({ tenantId, siteId, policy: policy.slice(0, length), receivedAt: now - dayMs - age, id: randomUUID() })
  await api.insertReports([shown(32_768, 1), shown(708, 2)])
  const { data } = await readPages(api, key, policiesOf(siteId), {})
  expect(data).toMatchObject([{ policy: 'img-src a.test', truncated: true, reportCount: 2 }])
})

test('policies that differ only in case are one, shown as it was last quoted', async () => {
  const siteId = await api.createSite(tenantId)
  const quoted = (policy: string, age: number, disposition: 'enforce' | 'report' = 'enforce') =>
    aReport({ tenantId, siteId, policy, disposition, receivedAt: now - dayMs - age, id: randomUUID() })
  const stored = [
    quoted("script-src 'sha256-AbC=' https://a.test/Lib/; report-to Main", 2),
    quoted("Script-Src 'SHA256-aBc=' https://A.test/lib/; report-to main", 1),
    quoted("report-to MAIN; script-src 'sha256-ABC=' 'sha256-abc=' https://a.test/LIB/ https://a.test/lib/", 3),
    quoted("script-src 'sha256-AbC=' https://a.test/Lib/; report-to Main", 0, 'report'),
  ]
  await api.insertReports(stored)
  const { data } = await readPages(api, key, policiesOf(siteId), {})
  expect(data).toEqual(oracleCspPolicies(stored, { from: 0, to: now }, siteId, undefined).data)
  expect(data.map(({ policy, reportCount }) => [policy, reportCount])).toEqual([
    ["report-to Main; script-src 'sha256-AbC=' https://a.test/Lib/", 1],
    ["report-to main; script-src 'sha256-aBc=' https://a.test/lib/", 3],
  ])
})

test('a forged nonce hides no directive of another policy', async () => {
  const siteId = await api.createSite(tenantId)
  const quoted = (policy: string, age: number) =>
    aReport({ tenantId, siteId, policy, receivedAt: now - dayMs - age, id: randomUUID() })
  const stored = [
    quoted("script-src 'nonce-; img-src * ; x'; img-src 'self'", 1),
    quoted("script-src 'nonce-abc'; img-src 'self'", 2),
    quoted("script-src 'nonce-def'; img-src 'self'", 3),
  ]
  await api.insertReports(stored)
  const { data } = await readPages(api, key, policiesOf(siteId), {})
  expect(data).toEqual(oracleCspPolicies(stored, { from: 0, to: now }, siteId, undefined).data)
  expect(data.map(({ reportCount }) => reportCount)).toEqual([1, 2])
})

test('a policy has the same key in every release, whatever its nonces and its neighbours', async () => {
  const siteId = await api.createSite(tenantId)
  const keys = [
    ['', '00'],
    ["default-src 'self'", firstHalfOfMd5("default-src 'self'")],
    ["script-src 'nonce-abc' 'self' 'nonce-def'", firstHalfOfMd5("script-src 'nonce-*' 'self' 'nonce-*'")],
    ["script-src 'nonce-ghi' 'self' 'nonce-'", firstHalfOfMd5("script-src 'nonce-*' 'self' 'nonce-*'")],
    ['img-src a/b?c; REPORT-uri /r?a=1 /s /t?b=#2;', firstHalfOfMd5('img-src a/b?c; REPORT-uri /r?* /s /t?*;')],
    ['report-uri https://r.test#1', firstHalfOfMd5('report-uri https://r.test?*')],
    ["script-src 'nonce-cut", firstHalfOfMd5("script-src 'nonce-cut")],
    ['img-src 🦊 \\1 \u0000', firstHalfOfMd5('img-src 🦊 \\1 \u0000')],
  ] as const
  await api.insertReports(
    [...keys, ...keys].map(([policy]) =>
      aReport({ tenantId, siteId, policy, receivedAt: now - dayMs, id: randomUUID() }),
    ),
  )
  const writer = connectPatiently(inject('servers').writeUrl)
  const stored = await queryRows(
    writer,
    `SELECT DISTINCT policy, lower(hex(policy_key)) FROM reports WHERE site_id = '${siteId}'`,
  ).finally(() => writer.close())
  expect(new Map(stored as [string, string][])).toEqual(new Map(keys))
})

test('a policy is truncated to 16 KB between characters; its id separates equal beginnings', async () => {
  const siteId = await api.createSite(tenantId)
  const long = (tail: string) => `img-src ${'🦊'.repeat(4_093)}${tail}`
  const policies = [long('abcd'), long('abcdefg'), long('abcd🦊'), `img-src ${'x'.repeat(16_376)}`]
  const stored = policies.map((policy, index) =>
    aReport({ tenantId, siteId, policy, receivedAt: now - dayMs - index, id: randomUUID() }),
  )
  await api.insertReports(stored)
  const { data } = await readPages(api, key, policiesOf(siteId), {})
  expect(data).toEqual(oracleCspPolicies(stored, { from: 0, to: now }, siteId, undefined).data)
  expect(data.map(({ policy, truncated }) => [Buffer.byteLength(policy), truncated])).toEqual([
    [16_384, false],
    [16_384, true],
    [16_384, true],
    [16_384, false],
  ])
})
