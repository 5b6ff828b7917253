/** @module Hints for sources that a policy should not allow. */

import type { cspHintKinds } from '../../csp-verdicts.ts'
import { groupBy } from '../group-by.ts'
import type { AdvisedSource } from './advise-policy.ts'
import type { SourceDetail } from './judge-sources.ts'
import { digestOf, isAttribute, isJavaScriptUrl, isWhole } from './match-inline.ts'
import type { ObservedRequest } from './observed-request.ts'

export interface Hint {
  readonly kind: (typeof cspHintKinds)[number]
  readonly value: string
  /** All of the code that a hash covers. */
  readonly sample: string | null
}

type Example = Pick<ObservedRequest, 'source'> & Pick<SourceDetail, 'detail' | 'isDetailCut' | 'weight'>

/** Samples and paths of one source. */
const listed = 5

const hint = (kind: Hint['kind'], value: string): Hint => ({ kind, value, sample: null })

const nonce = hint('nonce', "'nonce-*'")

/** Texts of the details without repeats, largest weight first. */
function heaviest(details: readonly Example[]): string[] {
  const weights = [...groupBy(details, ({ detail }) => detail)].map(([detail, found]) => ({
    detail,
    weight: found.reduce((sum, { weight }) => sum + weight, 0n),
  }))
  const sorted = weights.sort((a, b) => (a.weight === b.weight ? 0 : a.weight > b.weight ? -1 : 1))
  return sorted.map(({ detail }) => detail)
}

/** Starts of paths. */
export const pathsOf = (details: readonly Example[]): string[] =>
  heaviest(details.filter(({ source, detail }) => source.includes('://') && detail !== '')).slice(0, listed)

export function hintsOf({ found, reasons }: AdvisedSource, details: readonly Example[]): Hint[] {
  return reasons.flatMap((reason): Hint[] => {
    if (reason === 'inline') return ofInline(found.directive, details)
    if (reason === 'wasm_eval') return [hint('wasm_unsafe_eval', "'wasm-unsafe-eval'")]
    if (reason === 'no_effect') return [nonce]
    if (reason === 'redirect') return [hint('follow_redirect', found.source + (pathsOf(details)[0] ?? ''))]
    return []
  })
}

function ofInline(directive: string, details: readonly Example[]): Hint[] {
  const all = heaviest(details.filter(({ detail, isDetailCut }) => !isDetailCut && detail !== ''))
  if (all.length === 0) return [hint('report_sample', "'report-sample'")]
  const samples = all.filter((sample) => !isJavaScriptUrl(sample))
  // No nonce or script hash allows such a URL.
  const ofUrls = all.length > samples.length ? [hint('javascript_url', 'javascript:')] : []
  return samples.length === 0 ? ofUrls : [...ofUrls, ...ofCode(directive, samples)]
}

function ofCode(directive: string, samples: readonly string[]): Hint[] {
  const hashes = samples
    .filter(isWhole)
    .slice(0, listed)
    .map((sample): Hint => ({ kind: 'hash', value: `'sha256-${paddedDigest(sample)}'`, sample }))
  return isAttribute(directive)
    ? hashes.length > 0
      ? [...hashes, hint('unsafe_hashes', "'unsafe-hashes'")]
      : []
    : [...hashes, nonce]
}

const paddedDigest = (sample: string) => `${digestOf('sha256', sample)}=`
