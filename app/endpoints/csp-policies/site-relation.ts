/** @module Relation of a blocked host to a site. */

import { getDomain, parse } from 'tldts'
import type { CspParty } from '../../../schema/csp-verdicts.ts'

/** Hosters' suffixes count: pages of two of their customers are of two sites. */
const options = { allowPrivateDomains: true }

/** @param patterns hosts in lower case, or `*.example.com`. */
export function createSiteRelation(patterns: readonly string[]) {
  const domains = new Set(patterns.map((pattern) => getDomain(pattern.replace(/^\*\./, ''), options)))
  const isOwn = (host: string) =>
    patterns.some((pattern) =>
      pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) && host.length >= pattern.length : host === pattern,
    )
  /** @param host undefined for a keyword or a scheme. */
  return (host: string | undefined, isSelf: boolean): CspParty => {
    if (host === undefined) return 'none'
    if (isSelf) return 'self'
    if (isOwn(host)) return 'own'
    const domain = getDomain(host, options)
    return domain !== null && domains.has(domain) ? 'same_site' : 'third'
  }
}

/** Hosts below the private part of the Public Suffix List, where anyone can publish. */
export const isSharedHost = (host: string): boolean => parse(host, options).isPrivate === true
