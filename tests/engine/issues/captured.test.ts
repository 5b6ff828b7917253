/** @module The issues of what real browsers sent, imported, beside those of the payloads as they were sent. */

import { afterAll, beforeAll, expect, test } from 'vitest'
import { issueTypeNames, type ReportType } from '../../../schema/report-types.ts'
import { type IssueRow, oracleIssues } from '../../oracles/issue-oracle.ts'
import { type CapturedApi, capturedReports, capturedWindow, startCapturedApi } from '../../support/captured.ts'
import { readPages } from '../../support/read-pages.ts'

let captured: CapturedApi

beforeAll(async () => {
  captured = await startCapturedApi()
})

afterAll(() => captured?.api.close())

// biome-ignore lint/suspicious/noExplicitAny: a payload is what a browser wrote
type Payload = any

const hostOf = (url: string | undefined): string => {
  if (!url || !/^(https?|wss?):/.test(url)) return url?.split(':')[0] ?? ''
  return new URL(url).hostname
}

const first = (...values: unknown[]): string => String(values.find((value) => typeof value === 'string' && value) ?? '')

/** The two halves of an issue's key, read off the payload (Rule 44). */
const keys: Readonly<Record<string, (body: Payload) => [string, string]>> = {
  'csp-violation': (body) => [
    first(body.effectiveDirective, body['effective-directive'], body['violated-directive']).split(' ')[0] ?? '',
    hostOf(first(body.blockedURL, body['blocked-uri'])),
  ],
  'integrity-violation': (body) => [first(body.destination), hostOf(body.blockedURL)],
  coep: (body) => [first(body.destination), hostOf(body.blockedURL)],
  coop: (body) => [
    first(body.effectivePolicy),
    hostOf(
      first(
        body.openerURL,
        body.openeeURL,
        body.openedWindowURL,
        body.otherDocumentURL,
        body.otherURL,
        body.nextResponseURL,
        body.previousResponseURL,
        body.initialPopupURL,
        body.referrer,
      ),
    ),
  ],
  'permissions-policy-violation': (body) => [first(body.policyId, body.featureId), webHost(body.sourceFile)],
  'document-policy-violation': (body) => [first(body.policyId, body.featureId), webHost(body.sourceFile)],
  'connection-allowlist': (body) => ['connection', hostOf(body.connection)],
}

const webHost = (url: string | undefined) => (url && /^https?:/.test(url) ? hostOf(url) : '')

const page = (url: string | undefined) => (url ?? '').replace(/[?#].*$/s, '')

test.each(issueTypeNames)('%s', async (type: ReportType) => {
  const { api, key, siteId } = captured
  const rows: IssueRow[] = capturedReports(type).map(({ url, body, common }: Payload) => {
    const [issueSubject, issueHost] = keys[type]?.(body) ?? ['', '']
    const documentUrl = page(first(body.documentURL, body['document-uri'], url))
    // Firefox writes only the scheme of its own code, as that which asks for /favicon.ico.
    const noise = first(body.sourceFile, body['source-file']) === 'resource'
    return { ...common, siteId, reportType: type, documentUrl, issueSubject, issueHost, noise }
  })
  const response = await readPages(api, key, '/v1/issues', {
    from: new Date(capturedWindow.from).toISOString(),
    to: new Date(capturedWindow.to).toISOString(),
    reportType: type,
    limit: 7,
  })
  expect(response.data).toEqual(oracleIssues(rows, capturedWindow, {}))
})
