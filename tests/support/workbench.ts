/** @module A site with policies to work on, scripts, scanned pages and a verdict of PCI DSS, and hostile texts in each. */

import { hash, randomUUID } from 'node:crypto'
import { blockedResource } from '../../app/import/normalise/blocked-resource.ts'
import { monitoredPages } from '../../app/import/records/types/monitored-pages.ts'
import { scans } from '../../app/import/records/types/scans.ts'
import { scriptDecisions } from '../../app/import/records/types/script-decisions.ts'
import { sourceDecisions } from '../../app/import/records/types/source-decisions.ts'
import { aReport } from '../../fixtures/reports.ts'
import { completeScan, failedScan, sending } from '../../fixtures/scans.ts'
import { dayMs, hourMs } from '../../schema/durations.ts'
import { comparableForm } from '../../schema/rules/csp/csp-comparable-form.ts'
import { idOfPolicy } from '../../schema/rules/csp/merge-csp-policies.ts'
import type { StoredReport } from '../../schema/stored-report.ts'
import type { TestApi } from './api.ts'
import { aSighting } from './contract.ts'

const hostile = '<img src=x onerror="document.title=\'owned\'"><script>document.title="owned"</script>\u202e'

/** A name that no line of 390 px has room for. */
const long = 'W'.repeat(120)

const policy = "default-src 'self'; script-src 'self'; base-uri 'none'; report-to csp"
const ofOtherHost = "default-src 'self'; script-src 'self' https://other.test; base-uri 'none'; report-uri /csp"
const hostilePolicy = `default-src *; img-src ${hostile} https://${long}.test/$a"b\\; script-src 'unsafe-inline'`

export interface Workbench {
  readonly siteId: string
  /** Reported only, with sources to allow, to review and to deny. */
  readonly policyId: string
  readonly hostilePolicyId: string
  /** Authorized by Robin (robin@example.test); no library has its bytes. */
  readonly decidedScript: string
  /** A payment page with scans, of which the newest two differ in several headers. */
  readonly pageId: string
}

export async function fillWorkbench(api: TestApi, tenantId: string): Promise<Workbench> {
  const siteId = await api.createSite(tenantId, { name: `Shop ${long}`, hosts: ['shop.example.test'] })
  const now = Date.now()
  const pageId = randomUUID()
  const decidedScript = 'https://cdn.jsdelivr.net/npm/jquery@3.4.1/dist/jquery.min.js'
  const quoting = (given: Partial<StoredReport> & { blockedUrl: string; directive: string }, count = 12) => {
    const { host, origin } = blockedResource(given.blockedUrl, false)
    const blocked = { blockedHost: host, blockedOrigin: origin, issueSubject: given.directive, issueHost: host }
    return Array.from({ length: count }, (_, index) => ({
      ...aReport({ tenantId, siteId, policy, disposition: 'report', ...blocked, ...given }),
      documentUrl: `https://shop.example.test/checkout/${index % 2}`,
      browserName: index % 2 === 0 ? 'Chrome' : 'Firefox',
      id: randomUUID(),
      receivedAt: (given.receivedAt ?? now - hourMs) - index,
    }))
  }
  const sighting = (scriptUrl: string, index: number) => ({
    ...aSighting({ tenantId, siteId, scriptUrl, documentUrl: 'https://shop.example.test/checkout/1' }),
    id: randomUUID(),
    scriptHash: `sha256-${hash('sha256', scriptUrl, 'base64')}`,
    receivedAt: now - hourMs - index * 1_000,
  })
  const page = { siteId, kind: 'payment', label: 'Checkout', scanUrl: 'https://shop.example.test/checkout/1' } as const
  await api.importRecords(tenantId, monitoredPages, [
    { ...page, id: pageId, pattern: 'https://shop.example.test/checkout/*' },
    {
      siteId,
      id: randomUUID(),
      kind: 'other',
      label: long,
      scanUrl: null,
      pattern: `https://shop.example.test/${long}`,
    },
  ])
  const scan = (days: number, headers: Parameters<typeof sending>[0], reportingHeaders = {}) =>
    completeScan({
      id: randomUUID(),
      pageId,
      scannedAt: new Date(now - days * dayMs).toISOString(),
      grade: 'B',
      headers: sending({ 'x-content-type-options': 'nosniff', ...headers }),
      result: { grade: 'B', reportingHeaders },
    })
  const decision = {
    siteId,
    id: randomUUID(),
    url: decidedScript,
    integrityMode: 'any_content',
    pinnedHashes: null,
  } as const
  await Promise.all([
    api.insertReports([
      ...quoting({ directive: 'img-src', blockedUrl: 'https://img.partner.example/a/b.png' }),
      // Known for longer than a week.
      ...quoting(
        { directive: 'img-src', blockedUrl: 'https://img.partner.example/a/b.png', receivedAt: now - 20 * dayMs },
        1,
      ),
      ...quoting({ directive: 'script-src-elem', blockedUrl: 'inline', sample: 'go()' }),
      ...quoting({ directive: 'font-src', blockedUrl: 'https://font.example/f' }, 3),
      ...quoting({ directive: 'img-src', blockedUrl: hostile, message: hostile }),
      ...quoting({ directive: 'img-src', blockedUrl: 'https://a.test/', policy: ofOtherHost }, 2),
      ...quoting(
        { directive: 'img-src', blockedUrl: 'https://a.test/', policy: hostilePolicy, disposition: 'enforce' },
        5,
      ),
      ...[decidedScript, 'https://other.test/a.js', `https://other.test/${hostile}${long}.js`].map(sighting),
    ]),
    api.importRecords(tenantId, scans, [
      scan(3, {
        'content-security-policy': "default-src 'self'; script-src https://a.test",
        'x-frame-options': 'deny',
      }),
      failedScan({ id: randomUUID(), pageId, scannedAt: new Date(now - 2 * dayMs).toISOString() }),
      scan(
        1,
        { 'content-security-policy': "default-src 'self'; script-src https://b.test", 'referrer-policy': hostile },
        { 'cross-origin-opener-policy': 'same-origin; report-to="main"', nel: `${hostile}${long}` },
      ),
    ]),
    api.importRecords(tenantId, sourceDecisions, [
      {
        siteId,
        id: randomUUID(),
        directive: 'img-src',
        source: 'https://img.partner.example',
        status: 'accepted',
        reason: 'Banners',
        decidedAt: new Date(now - 2 * dayMs).toISOString(),
        decidedBy: { name: 'Robin', email: 'robin@example.test' },
      },
    ]),
    api.importRecords(tenantId, scriptDecisions, [
      {
        ...decision,
        status: 'authorized',
        justification: `Our own ${hostile}`,

        decidedBy: { name: 'Robin', email: 'robin@example.test' },
        decidedAt: new Date(now - 2 * dayMs).toISOString(),
      },
    ]),
  ])
  const idOf = (disposition: 'enforce' | 'report', text: string) => idOfPolicy(disposition, comparableForm(text))
  return {
    siteId,
    pageId,
    decidedScript,
    policyId: idOf('report', policy),
    hostilePolicyId: idOf('enforce', hostilePolicy),
  }
}
