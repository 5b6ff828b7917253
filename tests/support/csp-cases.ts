/** @module Cases of policies and requests, from specifications and from a browser. */

import { readFileSync } from 'node:fs'
import { blockedResource } from '../../app/import/normalise/blocked-resource.ts'
import { urlComponents } from '../../app/import/normalise/url-components.ts'
import type { CspVerdictName } from '../../schema/csp-verdicts.ts'
import { type ObservedRequest, observeRequest } from '../../schema/rules/csp/observed-request.ts'

const linesOf = (file: string): unknown[] =>
  readFileSync(new URL(`../../fixtures/csp/${file}`, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

interface Request {
  readonly directive: string
  readonly blockedUrl: string
  readonly sample: string
}

/** As the import stores it and the database's view reads it. */
export function observed(documentUrl: string, { directive, blockedUrl, sample }: Request): ObservedRequest {
  const { host, origin } = blockedResource(blockedUrl, false)
  return observeRequest({
    directive,
    documentUrl,
    documentHost: urlComponents(documentUrl).host,
    blockedUrl,
    blockedHost: host,
    blockedOrigin: origin,
    sample,
  })
}

export interface CspFact {
  readonly policy: string
  readonly documentUrl: string
  readonly request: Request
  readonly quoted: string
  readonly expected: CspVerdictName
  readonly reason?: string
  readonly source: string
}

export const cspFacts = (): CspFact[] => linesOf('facts.ndjson') as CspFact[]

type Case = readonly [directive: string, blockedUrl: string, sample?: string]

interface ObservedPolicy {
  readonly policy: string
  readonly documents: Readonly<Record<string, Partial<Record<'violation' | 'silent', readonly Case[]>>>>
}

export interface BrowserCase extends Pick<CspFact, 'policy' | 'documentUrl' | 'request' | 'quoted'> {
  readonly observed: 'violation' | 'silent'
}

/** What Chromium did. */
export function browserCases(): BrowserCase[] {
  const [head, ...policies] = linesOf('chromium.ndjson') as [{ quoted: string }, ...ObservedPolicy[]]
  return policies.flatMap(({ policy, documents }) =>
    Object.entries(documents).flatMap(([documentUrl, { violation = [], silent = [] }]) => {
      const toCase = ([directive, blockedUrl, sample = '']: Case, observed: BrowserCase['observed']): BrowserCase => ({
        policy,
        documentUrl,
        quoted: head.quoted,
        observed,
        request: { directive, blockedUrl, sample },
      })
      return [...violation.map((one) => toCase(one, 'violation')), ...silent.map((one) => toCase(one, 'silent'))]
    }),
  )
}
