/** @module Reporting URLs of a site. The token is public: it is in every page's headers. */

import { randomBytes } from 'node:crypto'

/** 22 characters of base64url. */
export const makeSiteToken = (): string => randomBytes(16).toString('base64url')

export const siteTokenPattern = /^[\w-]{22}$/

export const reportPath = (token: string): string => `/r/${token}`

export function siteAddress(collectorUrl: string, token: string) {
  const reportUrl = `${collectorUrl.replace(/\/+$/, '')}${reportPath(token)}`
  return { token, reportUrl, headers: reportingHeaders(reportUrl) }
}

const nelMaxAgeSeconds = 30 * 86_400

/** For inline scripts and styles, whose reports have no sample without it. */
const policy = "default-src 'self' 'report-sample'"

/**
 * Response headers of the site's pages, one per line; Report-To is required by network errors. Chromium sends to
 * `http:` only by report-uri, which it ignores if report-to is present.
 */
function reportingHeaders(reportUrl: string): string[] {
  const reportOnly = `Content-Security-Policy-Report-Only: ${policy}; report-uri ${reportUrl}`
  if (!reportUrl.startsWith('https:')) return [reportOnly]
  const reportTo = { group: 'default', max_age: nelMaxAgeSeconds, endpoints: [{ url: reportUrl }] }
  return [
    `Reporting-Endpoints: default="${reportUrl}"`,
    `${reportOnly}; report-to default`,
    `Report-To: ${JSON.stringify(reportTo)}`,
    `NEL: ${JSON.stringify({ report_to: 'default', max_age: nelMaxAgeSeconds })}`,
  ]
}
