/** @module The scripts that real browsers reported, imported, beside the payloads as they were sent. */

import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CapturedApi, capturedReports, capturedWindow, startCapturedApi } from '../../support/captured.ts'
import { readPages } from '../../support/read-pages.ts'

let captured: CapturedApi

beforeAll(async () => {
  captured = await startCapturedApi()
})

afterAll(() => captured?.api.close())

const identity = (url: string) => url.replace(/[?#].*/, '')
const unique = <T>(values: readonly T[]) => [...new Set(values)]

const sightings = capturedReports('csp-hash')
const violations = capturedReports('integrity-violation').filter(({ body }) => body.destination === 'script')

test('the inventory is every script they hashed, with every hash', async () => {
  const { api, key, siteId } = captured
  const { data, rest } = await readPages(api, key, `/v1/sites/${siteId}/scripts`, { limit: 2 })
  const urls = unique(sightings.map(({ body }) => identity(body.subresourceURL)))
  expect(data.map(({ url }) => url).sort()).toEqual(urls.sort())
  for (const { url, hashes, activity, coverage, lastSeenAt } of data) {
    const own = sightings.filter(({ body }) => identity(body.subresourceURL) === url)
    const reported = unique(own.map(({ body }) => body.hash))
    expect(hashes.map(({ hash }: { hash: string }) => hash).sort()).toEqual(reported.sort())
    expect(activity.hashes.toSorted()).toEqual(reported)
    expect(activity.reportCount).toBe(own.length)
    expect(activity.pageCount).toBe(unique(own.map(({ body }) => identity(body.documentURL))).length)
    expect(Date.parse(lastSeenAt)).toBe(Math.max(...own.map(({ common }) => common.receivedAt)))
    const without = violations.filter(({ body }) => identity(body.blockedURL) === url)
    expect(coverage.state).toBe(without.length > 0 ? 'unprotected' : 'protected')
    const last = Math.max(...without.map(({ common }) => common.receivedAt))
    if (without.length > 0) expect(Date.parse(coverage.lastUnprotectedAt)).toBe(last)
  }
  const lacking = unique(violations.map(({ body }) => identity(body.blockedURL))).filter((url) => !urls.includes(url))
  const { uninventoried, ...counts } = rest.coverage as { uninventoried: { url: string }[]; reporting: boolean }
  expect(uninventoried.map(({ url }) => url).sort()).toEqual(lacking.sort())
  expect(counts.reporting).toBe(true)
})

test('a sighting is no report: no operation accepts its type, lists, counts or ranks it', async () => {
  const { api, key } = captured
  const window = `from=${new Date(capturedWindow.to - 7 * 86_400_000).toISOString()}`
  const get = async (path: string) => (await api.get(path, { key })).body
  const { data: types } = await get('/v1/reports/types')
  expect(types.map(({ reportType }: { reportType: string }) => reportType)).not.toContain('csp-hash')
  for (const path of ['/v1/reports', '/v1/reports/count', '/v1/reports/histogram', '/v1/issues']) {
    const { error } = await get(`${path}?reportType=csp-hash`)
    expect(error.code).toBe('bad_request')
  }
  const listed = await Promise.all(
    types.map(async ({ reportType }: { reportType: string }) => {
      const { data } = await get(`/v1/reports/count?reportType=${reportType}&${window}`)
      return data.reportCount
    }),
  )
  const stored = [...new Set(types.map(({ reportType }: { reportType: string }) => reportType))]
    .map((type) => capturedReports(String(type)).filter(({ body }) => body.type !== 'ok').length)
    .reduce((sum, count) => sum + count, 0)
  expect(listed.reduce((sum, count) => sum + count, 0)).toBe(stored)
})
