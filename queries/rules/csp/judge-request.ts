/** @module Would a policy have reported a request that another policy reported? Silent, violation or unknown. */

import type { CspVerdictName, CspVerdictReason } from '../../../schema/csp-verdicts.ts'
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
import { blockedUrl, matchUrl } from './match-url.ts'
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

/** @param quoted the policy that the report quotes; undefined if it is unknown or cut. */
export function judgeRequest(
  candidate: ParsedPolicy,
  quoted: ParsedPolicy | undefined,
  request: ObservedRequest,
): Verdict {
  const verdicts = meanings(request.directive, request.source, quoted).map((directive) =>
    judge(candidate, quoted, { ...request, directive }),
  )
  const unread = verdicts.find(({ reason }) => reason === 'detail')
  if (unread) return unread
  const [first, ...others] = verdicts as [Verdict, ...Verdict[]]
  if (others.every(({ verdict }) => verdict === first.verdict)) return first
  return { ...first, verdict: 'unknown', reason: 'directive', matchedBy: null }
}

function judge(candidate: ParsedPolicy, quoted: ParsedPolicy | undefined, request: ObservedRequest): Verdict {
  const governing = governingList(candidate, request.directive)
  if (!governing) return { verdict: 'silent', reason: 'no_directive', governedBy: null, matchedBy: null }
  const of = (verdict: CspVerdictName, reason: Verdict['reason'] = null, matchedBy: string | null = null): Verdict => ({
    verdict,
    reason,
    governedBy: governing.name,
    matchedBy,
  })
  if (!isKnownDirective(request.directive)) return of('unknown', 'directive')
  const violated = quoted && governingList(quoted, request.directive)
  const hidden = quoted && causeHidden(violated, request)
  if (hidden) return of('unknown', hidden)
  const match = matchList(governing.list, violated?.list, request)
  if (!match) return of('violation')
  return 'by' in match ? of('silent', null, match.by) : of('unknown', match.unknown)
}

/** A report whose own policy matches it was caused by what it hides, such as the target of a redirect (2.4.2, 7.6). */
function causeHidden(violated: GoverningList | undefined, request: ObservedRequest): Verdict['reason'] | undefined {
  if (!violated) return 'quoted_policy'
  const match = matchList(violated.list, violated.list, request)
  if (!match) return undefined
  if ('unknown' in match) return match.unknown === 'detail' ? 'detail' : undefined
  return blockedUrl(request.source) ? 'redirect' : 'quoted_policy'
}

/** @param violated the list that blocked it: what it has already cannot help. Undefined: it is unknown. */
function matchList(list: SourceList, violated: SourceList | undefined, request: ObservedRequest): ListMatch {
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
function matchFetch(list: SourceList, violated: SourceList | undefined, request: ObservedRequest): ListMatch {
  const isOfScript = isScript(request.directive)
  const isDynamic = isOfScript && list.keywords.has("'strict-dynamic'")
  const matches = isDynamic ? [] : matchUrls(list, request)
  const found = matches.find(({ match }) => match === true)
  if (found) return { by: found.text }
  if (matches.some(({ match }) => match === 'detail')) return { unknown: 'detail' }
  if ((isOfScript || isStyle(request.directive)) && list.hasNonce && !violated?.hasNonce) return { unknown: 'nonce' }
  if (isOfScript && hasNewHash(list, violated)) return { unknown: 'hash' }
  if (isDynamic && !violated?.keywords.has("'strict-dynamic'")) return { unknown: 'strict_dynamic' }
  const open = matches.find(({ match }) => match !== false)
  return open && typeof open.match === 'string' ? { unknown: open.match } : undefined
}

function matchUrls({ urls }: SourceList, request: ObservedRequest) {
  const url = blockedUrl(request.source)
  return urls.map((source) => {
    const match = url ? matchUrl(source, url, request) : source.kind === 'scheme' && source.scheme === request.source
    return { text: source.text, match }
  })
}

/** A script's integrity metadata can match it (6.7.2.4). */
const hasNewHash = (list: SourceList, violated: SourceList | undefined): boolean =>
  (list.hasOtherHash && !violated?.hasOtherHash) ||
  list.hashes.some(
    ({ algorithm, digest }) =>
      !violated?.hashes.some((other) => other.algorithm === algorithm && other.digest === digest),
  )
