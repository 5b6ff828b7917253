/** @module Reporting URLs of a site. The token is public: it is in every page's headers. */

import { randomBytes } from 'node:crypto'
import { type HeaderOptions, reportingHeaders } from '../../schema/reporting-headers.ts'

/** 22 characters of base64url. */
export const makeSiteToken = (): string => randomBytes(16).toString('base64url')

export const siteTokenPattern = /^[\w-]{22}$/

export const reportPath = (token: string): string => `/r/${token}`

export const reportUrlOf = (collectorUrl: string, token: string): string =>
  `${collectorUrl.replace(/\/+$/, '')}${reportPath(token)}`

/** @param asked as in `reportingHeaders`. */
export function siteAddress(reportUrl: string, token: string, ...asked: HeaderOptions) {
  const headers = reportingHeaders(reportUrl, ...asked).map(([name, value]) => `${name}: ${value}`)
  return { token, reportUrl, headers }
}
