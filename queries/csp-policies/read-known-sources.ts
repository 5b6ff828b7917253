/** @module Reads known sources of a site from data other than its reports. */

import { parseUrl } from '../../schema/parse-url.ts'
import { createKnownSources, type ServedPolicy } from '../../schema/rules/csp/known-sources.ts'
import { listServedPages } from '../scans/list-served-pages.ts'
import type { Read } from '../sql/query.ts'
import { listSourceDecisions } from './list-source-decisions.ts'

export async function readKnownSources(read: Read, tenantId: string, siteId: string) {
  const [pages, decided] = await Promise.all([
    read(listServedPages(tenantId, siteId)),
    read(listSourceDecisions(tenantId, siteId)),
  ])
  // A header with several policies has one per line.
  const served = pages.flatMap(({ enforced, reportOnly }): ServedPolicy[] => [
    ...policiesOf('report', reportOnly),
    ...policiesOf('enforce', enforced),
  ])
  const scripts = pages.flatMap(({ scriptUrls }) => scriptUrls.flatMap((url) => parseUrl(url)?.origin ?? []))
  const referred = [
    ...pages.flatMap(({ sources }) => sources),
    ...scripts.map((source) => ({ directive: 'script-src-elem', source })),
  ]
  return { served, ...createKnownSources({ served, referred, decided }) }
}

const policiesOf = (disposition: ServedPolicy['disposition'], header: string): ServedPolicy[] =>
  header
    .split('\n')
    .filter(Boolean)
    .map((text) => ({ disposition, text }))
