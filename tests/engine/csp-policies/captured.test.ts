import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { oracleCspPolicies, type QuotingRow } from '../../oracles/csp-policy-oracle.ts'
import { type CapturedApi, capturedReports, capturedWindow, startCapturedApi } from '../../support/captured.ts'
import { readPages } from '../../support/read-pages.ts'

let captured: CapturedApi
let rows: QuotingRow[]

beforeAll(async () => {
  captured = await startCapturedApi()
  rows = capturedReports('csp-violation').map(({ body, common }) => ({
    ...common,
    siteId: captured.siteId,
    reportType: 'csp-violation',
    documentUrl: body.documentURL ?? body['document-uri'],
    disposition: body.disposition === 'reporting' ? 'report' : (body.disposition ?? ''),
    policy: body.originalPolicy ?? body['original-policy'] ?? '',
  }))
})

afterAll(() => captured?.api.close())

describe('the policies of real browsers agree with their payloads', () => {
  const send = (params: Record<string, string | number>) =>
    readPages(captured.api, captured.key, `/v1/sites/${captured.siteId}/csp-policies`, params)

  test('of the whole site', async () => {
    expect(rows.length).toBeGreaterThan(300)
    const { data, truncated } = oracleCspPolicies(rows, capturedWindow, captured.siteId, undefined)
    expect(data.length).toBeGreaterThan(20)
    const response = await send({ limit: 9 })
    expect(response.data).toEqual(data)
    expect(response.rest).toEqual({ truncated })
  })

  test.each(['https://shop.example.test/checkout', 'https://blog.example.test/**', 'https://account.example.test/*'])(
    'of %s',
    async (pattern) => {
      const pageId = await captured.api.insertMonitoredPage(captured.tenantId, captured.siteId, pattern)
      const { data } = oracleCspPolicies(rows, capturedWindow, captured.siteId, pattern)
      expect(data.length).toBeGreaterThan(0)
      expect((await send({ pageId })).data).toEqual(data)
    },
  )

  test('whatever their nonces, which no policy shows', async () => {
    const { data } = await send({ limit: 200 })
    expect(JSON.stringify(rows)).toMatch(/'nonce-\w/)
    expect(data.map(({ policy }) => policy).join()).toContain("'nonce-*'")
    expect(data.map(({ policy }) => policy).join()).not.toMatch(/'nonce-[^*]/)
  })
})
