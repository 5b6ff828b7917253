/** @module Sites whose reports have one policy, two browsers and two pages. */

import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { blockedResource } from '../../app/import/normalise/blocked-resource.ts'
import { aReport } from '../../fixtures/reports.ts'
import { dayMs, hourMs } from '../../schema/durations.ts'
import type { StoredReport } from '../../schema/stored-report.ts'
import { startApi } from './api.ts'
import { servePage } from './served-page.ts'

export const quotedPolicy = "default-src 'self'; script-src 'self' 'nonce-abc'; base-uri 'none'; report-to csp"
export const comparablePolicy = "base-uri 'none'; default-src 'self'; report-to csp; script-src 'self' 'nonce-*'"

export type Given = Partial<StoredReport> & { readonly directive: string; readonly blockedUrl: string }

export async function startCspSites() {
  const now = Date.now()
  const api = await startApi({ now: () => new Date(now) })
  const tenantId = await api.createTenant()
  const key = await api.createKey(tenantId)

  function reportsOf(siteId: string, given: Given, count = 12): StoredReport[] {
    const { host, origin } = blockedResource(given.blockedUrl, false)
    const blocked = { blockedHost: host, blockedOrigin: origin, issueSubject: given.directive, issueHost: host }
    return Array.from({ length: count }, (_, index) => ({
      ...aReport({ tenantId, siteId, policy: quotedPolicy, disposition: 'report', ...blocked, ...given }),
      documentUrl: `https://shop.example.test/${index % 2}`,
      browserName: index % 2 === 0 ? 'Chrome' : 'Firefox',
      id: randomUUID(),
      receivedAt: (given.receivedAt ?? now - hourMs) - index,
    }))
  }

  return {
    api,
    tenantId,
    key,
    now,
    reportsOf,
    /** Before the days of new sources. */
    old: now - 20 * dayMs,
    /** As `claimedSite`, of pages that a scan was served the quoted policy of, and that refer to each of the sources. */
    async siteWith(...given: readonly (Given | readonly [Given, number])[]): Promise<string> {
      const siteId = await this.claimedSite(...given)
      const reported = given.map((one) => (Array.isArray(one) ? one[0] : one) as Given)
      const sources = reported.map(({ directive, blockedUrl }) => {
        const { host, origin } = blockedResource(blockedUrl, false)
        return { directive, source: origin || host }
      })
      await servePage(
        api,
        { tenantId, siteId },
        { headers: { 'content-security-policy-report-only': quotedPolicy }, sources },
      )
      return siteId
    },
    /** Twelve reports of each unless another number is given. */
    async claimedSite(...given: readonly (Given | readonly [Given, number])[]): Promise<string> {
      const siteId = await api.createSite(tenantId, { hosts: ['shop.example.test', '*.shop-assets.example'] })
      const all = given.map((one) => (Array.isArray(one) ? one : [one, 12]) as readonly [Given, number])
      await api.insertReports(all.flatMap(([one, count]) => reportsOf(siteId, one, count)))
      return siteId
    },
    async read(siteId: string, operation: 'advice' | 'check', query: Record<string, string> = {}) {
      const path = `/v1/sites/${siteId}/csp-policies/${operation}`
      const { status, body } = await api.get(`${path}?${new URLSearchParams(query)}`, { key })
      expect({ status, error: body.error }).toEqual({ status: 200, error: undefined })
      return body
    },
  }
}

/** Directive, source, decision and reasons of each source of an advice. */
export const decisionsOf = (body: { data: { sources: Record<string, unknown>[] } }) =>
  body.data.sources.map(({ directive, source, decision, reasons }) => [directive, source, decision, reasons])

export type CspSites = Awaited<ReturnType<typeof startCspSites>>
