/** @module Would a policy have reported a request that another policy reported? Silent, violation or unknown. */

import type { CspVerdictName, CspVerdictReason } from '../../csp-verdicts.ts'
import {
  type GoverningList,
  governingList,
  isKnownDirective,
  isScript,
  isStyle,
  meanings,
  type ParsedPolicy,
} from './governing-directive.ts'
import type { ListMatch } from './list-match.ts'
import { matchInline } from './match-inline.ts'
import { matchTrustedTypes } from './match-trusted-types.ts'
import { type BlockedUrl, blockedUrl, matchUrl, type UrlUnknown } from './match-url.ts'
import type { ObservedRequest } from './observed-request.ts'
import type { SourceList } from './source-list.ts'

export interface Verdict {
  readonly verdict: CspVerdictName
  /** `detail`: only the request's detail decides, which was not read. */
  readonly reason: CspVerdictReason | 'detail' | null
  readonly governedBy: string | null
  /** The expression. */
  readonly matchedBy: string | null
}

/** Request with the source's parts, for judgements under many policies. */
export interface ParsedRequest extends ObservedRequest {
  /** Undefined for a keyword or a bare scheme. */
  readonly url: BlockedUrl | undefined
}

export const parseRequest = (request: ObservedRequest): ParsedRequest => ({
  ...request,
  url: blockedUrl(request.source),
})

/** @param quoted the policy that the report quotes; undefined if it is unknown or cut. */
export function judgeRequest(
  candidate: ParsedPolicy,
  quoted: ParsedPolicy | undefined,
  request: ParsedRequest,
): Verdict {
  const verdicts = meanings(request.directive, request.source, quoted).map((directive) =>
    judge(candidate, quoted, directive === request.directive ? request : { ...request, directive }),
  )
  const unread = verdicts.find(({ reason }) => reason === 'detail')
  if (unread) return unread
  const [first, ...others] = verdicts as [Verdict, ...Verdict[]]
  if (others.every(({ verdict }) => verdict === first.verdict)) return first
  return { ...first, verdict: 'unknown', reason: 'directive', matchedBy: null }
}

/** Browsers apply every policy: the first that reports decides. */
export function judgeByAll(
  candidates: readonly ParsedPolicy[],
  quoted: ParsedPolicy | undefined,
  request: ParsedRequest,
): Verdict {
  const verdicts = candidates.map((candidate) => judgeRequest(candidate, quoted, request))
  const deciding =
    verdicts.find(({ verdict }) => verdict === 'violation') ??
    verdicts.find(({ reason }) => reason === 'detail') ??
    verdicts.find(({ verdict }) => verdict === 'unknown') ??
    verdicts.find(({ matchedBy }) => matchedBy !== null)
  return deciding ?? verdicts[0] ?? noDirective
}

const noDirective: Verdict = { verdict: 'silent', reason: 'no_directive', governedBy: null, matchedBy: null }

function judge(candidate: ParsedPolicy, quoted: ParsedPolicy | undefined, request: ParsedRequest): Verdict {
  const governing = governingList(candidate, request.directive)
  if (!governing) return noDirective
  const { name: governedBy, list } = governing
  const unknown = (reason: Verdict['reason']): Verdict => ({
    verdict: 'unknown',
    reason,
    governedBy,
    matchedBy: null,
  })
  if (!isKnownDirective(request.directive)) return unknown('directive')
  const violated = quoted && governingList(quoted, request.directive)
  const hidden = quoted && causeHidden(violated, request)
  if (hidden) return unknown(hidden)
  const match = matchList(list, violated?.list, request)
  if (!match) return { verdict: 'violation', reason: null, governedBy, matchedBy: null }
  return 'by' in match ? { verdict: 'silent', reason: null, governedBy, matchedBy: match.by } : unknown(match.unknown)
}

/** If a report's own policy matches it, hidden data caused it, such as the target of a redirect (2.4.2, 7.6). */
function causeHidden(violated: GoverningList | undefined, request: ParsedRequest): Verdict['reason'] | undefined {
  if (!violated) return 'quoted_policy'
  const match = matchList(violated.list, violated.list, request)
  if (!match) return undefined
  if ('unknown' in match) return match.unknown === 'detail' ? 'detail' : undefined
  return request.url ? 'redirect' : 'quoted_policy'
}

/** @param violated the list that blocked it: what it has already cannot help. Undefined: it is unknown. */
function matchList(list: SourceList, violated: SourceList | undefined, request: ParsedRequest): ListMatch {
  const { directive, source } = request
  if (directive === 'require-trusted-types-for' || directive === 'trusted-types') {
    return matchTrustedTypes(list, violated, request)
  }
  if (list.isNone) return undefined
  // The report names the framed page, no ancestor (6.4.2).
  if (directive === 'frame-ancestors') return { unknown: 'ancestor' }
  if (source === '' || source === 'self' || (directive === 'base-uri' && source === 'inline')) {
    return { unknown: 'blocked_url' }
  }
  if (source === 'inline') return matchInline(list, violated, request)
  if (source === 'eval') return matchKeyword(list, ["'unsafe-eval'"])
  if (source === 'wasm-eval') return matchKeyword(list, ["'unsafe-eval'", "'wasm-unsafe-eval'"])
  if (directive === 'worker-src' && list.keywords.has("'strict-dynamic'")) return { by: "'strict-dynamic'" }
  return matchFetch(list, violated, request)
}

/** 4.4.1 and 4.5.1. */
function matchKeyword({ keywords, hasOtherHash }: SourceList, allowing: readonly string[]): ListMatch {
  const by = allowing.find((keyword) => keywords.has(keyword))
  if (by !== undefined) return { by }
  if (keywords.has("'trusted-types-eval'")) return { unknown: 'trusted_types' }
  return hasOtherHash ? { unknown: 'hash' } : undefined
}

/** 6.7.1.1 for scripts, 6.7.2.5 for the rest. */
function matchFetch(list: SourceList, violated: SourceList | undefined, request: ParsedRequest): ListMatch {
  const isOfScript = isScript(request.directive)
  const isDynamic = isOfScript && list.keywords.has("'strict-dynamic'")
  const match = isDynamic ? undefined : matchUrls(list, request)
  if (match && ('by' in match || match.unknown === 'detail')) return match
  if ((isOfScript || isStyle(request.directive)) && list.hasNonce && !violated?.hasNonce) return { unknown: 'nonce' }
  if (isOfScript && hasNewHash(list, violated)) return { unknown: 'hash' }
  if (isDynamic && !violated?.keywords.has("'strict-dynamic'")) return { unknown: 'strict_dynamic' }
  return match
}

/** The first expression that matches; otherwise the unknown information, an unread detail first. */
function matchUrls({ urls }: SourceList, request: ParsedRequest): ListMatch {
  const { url, source } = request
  let unknown: UrlUnknown | undefined
  for (const expression of urls) {
    const match = url
      ? matchUrl(expression, url, request)
      : expression.kind === 'scheme' && expression.scheme === source
    if (match === true) return { by: expression.text }
    if (match === 'detail') unknown = match
    else if (match !== false) unknown ??= match
  }
  return unknown && { unknown }
}

/** A script's integrity metadata can match it (6.7.2.4). */
const hasNewHash = (list: SourceList, violated: SourceList | undefined): boolean =>
  (list.hasOtherHash && !violated?.hasOtherHash) ||
  list.hashes.some(
    ({ algorithm, digest }) =>
      !violated?.hashes.some((other) => other.algorithm === algorithm && other.digest === digest),
  )
