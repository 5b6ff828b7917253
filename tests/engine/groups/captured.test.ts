/** @module The groups of what real browsers sent, imported, beside those of the payloads as they were sent. */

import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CrashRow, type NetworkErrorRow, oracleCrashes, oracleNetworkErrors } from '../../oracles/group-oracle.ts'
import { type CapturedApi, capturedReports, capturedWindow, startCapturedApi } from '../../support/captured.ts'
import { readPages } from '../../support/read-pages.ts'

let captured: CapturedApi

beforeAll(async () => {
  captured = await startCapturedApi()
})

afterAll(() => captured?.api.close())

test('crashes', async () => {
  const { api, key, siteId } = captured
  const rows: CrashRow[] = capturedReports('crash').map(({ url, body, common }) => ({
    ...common,
    siteId,
    feature: body.reason ?? '',
    documentUrl: url,
    isTopLevel: body.is_top_level,
    visibilityState: body.visibility_state,
    stack: body.stack ?? '',
  }))
  expect(rows.length).toBeGreaterThan(3)
  const { data, totals } = oracleCrashes(rows, capturedWindow, {})
  expect(await readPages(api, key, '/v1/crashes', { limit: 2 })).toEqual({ data, rest: { totals, truncated: false } })
})

test('network errors, successes apart', async () => {
  const { api, key, siteId } = captured
  const rows: NetworkErrorRow[] = capturedReports('network-error')
    .filter(({ body }) => body.type !== 'ok')
    .map(({ url, body, common }) => ({
      ...common,
      siteId,
      weight: 1_000_000 / body.sampling_fraction,
      feature: body.type,
      phase: body.phase,
      requestOrigin: new URL(url).origin,
      statusCode: body.status_code,
      serverIp: body.server_ip,
      protocol: body.protocol,
      method: body.method,
      requestUrl: url,
    }))
  expect(rows.length).toBeGreaterThan(15)
  const { data, totals } = oracleNetworkErrors(rows, capturedWindow, {})
  expect(await readPages(api, key, '/v1/network-errors', { limit: 4 })).toEqual({
    data,
    rest: { totals, truncated: false },
  })
})
