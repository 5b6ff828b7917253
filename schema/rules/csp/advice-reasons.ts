/** @module Reasons why a policy should not allow a source, or why people should review it first. */

import type { CspKnownBy, CspParty, DenyingReason, ReviewReason } from '../../csp-verdicts.ts'
import type { IssueConfidence } from '../../enumerations.ts'
import type { AdvisableSource } from './advisable-sources.ts'
import { governingList, isScript, meanings, type ParsedPolicy } from './governing-directive.ts'

/** Everything known about a source in addition to its verdicts. */
export interface SourceEvidence {
  readonly confidence: IssueConfidence
  readonly pageCount: number
  readonly browsers: readonly string[]
  /** Over the whole retention, in milliseconds since the Unix epoch. */
  readonly firstSeenEver: number
  readonly party: CspParty
  /** Anyone publishes below its public suffix. */
  readonly isShared: boolean
  /** True if it serves a script that can run any other, according to csp_evaluator. */
  readonly isBypass: boolean
  /** Undefined if nobody decides on the site's scripts. */
  readonly scripts: 'authorized' | 'rejected' | 'undecided' | undefined
  /** Confirmations other than reports. */
  readonly knownBy: readonly CspKnownBy[]
  /** An operator rejected the source. */
  readonly isRejected: boolean
}

export interface ReviewRule {
  readonly minConfidence: 'high' | 'medium'
  /** Third parties first seen since then are new, milliseconds since the Unix epoch. */
  readonly newSince: number
}

const keywords: ReadonlyMap<string, DenyingReason> = new Map([
  ['inline', 'inline'],
  ['eval', 'eval'],
  ['wasm-eval', 'wasm_eval'],
  ['trusted-types-sink', 'trusted_types'],
  ['trusted-types-policy', 'trusted_types'],
  ['', 'unknown_source'],
  ['self', 'unknown_source'],
])

const passive = new Set(['img-src', 'font-src', 'media-src', 'connect-src'])
const localSchemes = new Set(['data', 'blob'])

/** Bundlers start workers so. */
const isWorkerBlob = ({ directive, source }: Pick<AdvisableSource, 'directive' | 'source'>) =>
  directive === 'worker-src' && source === 'blob'

function ofScheme({ directive, source, url }: AdvisableSource): DenyingReason | undefined {
  if (url) return undefined
  if (!localSchemes.has(source)) return 'other_scheme'
  if (isWorkerBlob({ directive, source })) return undefined
  return passive.has(directive) ? undefined : 'unsafe_scheme'
}

function ofVerdicts({ verdictReasons }: AdvisableSource): DenyingReason | undefined {
  const hidden = [...verdictReasons].every((reason) => reason === 'redirect' || reason === 'quoted_policy')
  if (!hidden) return undefined
  return verdictReasons.has('redirect') ? 'redirect' : 'quoted_policy'
}

export function denyingReasonsOf(
  found: AdvisableSource,
  policy: ParsedPolicy,
  evidence: SourceEvidence | undefined,
): DenyingReason[] {
  const { directive, source, url, noiseCount, reportCount } = found
  const list = governingList(policy, directive)?.list
  const reasons: (DenyingReason | false | undefined)[] = [
    noiseCount === reportCount && 'noise',
    directive === 'frame-ancestors' && 'embedder',
    directive === 'base-uri' && 'base_uri',
    keywords.get(source) ?? ofScheme(found),
    isScript(directive) && list?.keywords.has("'strict-dynamic'") && url && 'no_effect',
    ofVerdicts(found),
    isScript(directive) && evidence?.scripts === 'rejected' && 'rejected_script',
    evidence?.isRejected && 'rejected_source',
  ]
  return reasons.filter((reason) => typeof reason === 'string')
}

/** True for directives that let data leave the page. */
const isDestination = (directive: string) =>
  isScript(directive) || ['connect-src', 'form-action', 'img-src'].includes(directive)

const isAddress = (host: string) => host.startsWith('[') || /^\d+(\.\d+){3}$/.test(host)

const isOwn = (party: CspParty) => party === 'self' || party === 'own'

export function reviewReasonsOf(
  found: AdvisableSource,
  policy: ParsedPolicy,
  evidence: SourceEvidence,
  { minConfidence, newSince }: ReviewRule,
): ReviewReason[] {
  const { directive, url } = found
  const { confidence, party, scripts, knownBy } = evidence
  const oldDirective = isOfOldBrowser(found, policy) && 'old_directive'
  // An operator's decision outweighs missing evidence in reports.
  if (knownBy.includes('operator')) return oldDirective ? [oldDirective] : []
  const isConfident = confidence === 'high' || (confidence === 'medium' && minConfidence === 'medium')
  const isNew = party === 'third' && evidence.firstSeenEver >= newSince
  const reasons: (ReviewReason | false | undefined)[] = [
    isScript(directive) && scripts === 'undecided' && 'unauthorized_script',
    !isConfident && 'low_confidence',
    evidence.pageCount <= 1 && !isOwn(party) && 'single_page',
    evidence.browsers.length <= 1 && 'single_browser',
    isNew && (isDestination(directive) ? 'new_destination' : 'new_host'),
    evidence.isShared && 'shared_host',
    (url?.scheme === 'http' || url?.scheme === 'ws') && 'insecure',
    url && isAddress(url.host) && 'ip_address',
    url?.host.includes('_') && 'underscore_host',
    isWorkerBlob(found) && 'worker_blob',
    isScript(directive) && evidence.isBypass && 'bypass',
    oldDirective,
    knownBy.length === 0 && 'claimed_by_reports_alone',
  ]
  return reasons.filter((reason) => typeof reason === 'string')
}

/** Which list is meant is unknown, so that no addition to one is known to help. */
function isOfOldBrowser({ directive, source }: AdvisableSource, policy: ParsedPolicy): boolean {
  if (directive === 'default-src' || directive === 'child-src') return true
  const own = governingList(policy, directive)?.name
  return meanings(directive, source, undefined).some((name) => governingList(policy, name)?.name !== own)
}
